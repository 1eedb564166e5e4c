import { useAccount } from "account-session-client/react";
import { type FormEvent, StrictMode, useState } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { account } from "./account.js";
import { Greeting, Providers } from "./react.js";

function SignIn() {
  const [problem, setProblem] = useState("");
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const result = await account.login({ email: String(fields.get("email")), password: String(fields.get("password")) });
    setProblem(result.ok ? "" : result.message);
  }
  return (
    <form onSubmit={submit}>
      <label>Email <input name="email" type="email" /></label>
      <label>Contraseña <input name="password" type="password" /></label>
      <button>Entrar</button>
      <p role="alert">{problem}</p>
    </form>
  );
}

export function App() {
  const { status } = useAccount();
  return <><Greeting />{status !== "signed-in" && <SignIn />}</>;
}

export const Whole = () => <StrictMode><Providers><App /></Providers></StrictMode>;

// `main.js` is also the module that a server renders.
if (typeof document === "object") {
  const root = document.querySelector("#root")!;
  if (root.hasChildNodes()) hydrateRoot(root, <Whole />);
  else createRoot(root).render(<Whole />);
}
