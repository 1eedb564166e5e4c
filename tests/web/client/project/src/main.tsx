import { createRoot } from "react-dom/client";
import { useAccount } from "./react.js";

function Greeting() {
  const state = useAccount();
  return <p>{state.status === "signed-in" ? `Hola, ${state.user.name}` : state.status}</p>;
}

createRoot(document.querySelector("#root")!).render(<Greeting />);
