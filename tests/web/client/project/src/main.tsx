import { type FormEvent, useState } from "react";
import { createRoot } from "react-dom/client";
import { account } from "./account.js";
import { useAccount } from "./react.js";

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

function App() {
  const state = useAccount();
  if (state.status === "signed-in") return <p>Hola, {state.user.name}</p>;
  return <><p>{state.status}</p><SignIn /></>;
}

createRoot(document.querySelector("#root")!).render(<App />);
