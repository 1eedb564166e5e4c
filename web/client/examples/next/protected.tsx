"use client";
// What `proxy.ts` cannot see: a session that ends while its page is open. A layout puts this component around the pages of `/cuenta`.

import { useAccount } from "account-session-client/react";
import { usePathname, useRouter } from "next/navigation";
import { type ReactNode, useEffect } from "react";

export function Protected({ children }: { children: ReactNode }) {
  const state = useAccount();
  const router = useRouter();
  const path = usePathname();
  useEffect(() => {
    if (state.status === "signed-out") router.replace(`/login?next=${encodeURIComponent(path)}`);
  }, [state.status, router, path]);
  if (state.status === "failed") return <p>{state.failure.message} <button onClick={state.refresh}>Reintentar</button></p>;
  return state.status === "signed-in" ? children : <p>Cargando…</p>;
}
