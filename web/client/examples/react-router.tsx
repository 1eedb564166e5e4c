// A route guard for React Router: the element of a layout route whose pages are only for signed-in users. The login page goes on to
// `location.state.next`.

import { useAccount } from "account-session-client/react";
import { Navigate, Outlet, useLocation } from "react-router";

export function Protected() {
  const state = useAccount();
  const { pathname, search } = useLocation();
  if (state.status === "signed-in") return <Outlet />;
  if (state.status === "signed-out") return <Navigate to="/login" replace state={{ next: pathname + search }} />;
  if (state.status === "failed") return <p>{state.failure.message} <button onClick={state.refresh}>Reintentar</button></p>;
  return <p>Cargando…</p>;
}
