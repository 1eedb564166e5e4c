import { wire } from "../form.js";
import { confirmationProblem, passwordProblem } from "../rules.js";
import { account, element, notify } from "../site.js";

// The token leaves the address bar, and with it the history, before anything else is done.
const token = new URLSearchParams(location.search).get("token") ?? "";
history.replaceState(null, "", location.pathname);

/** There is nothing to be done here without a token that works. */
function useless() {
  notify("El enlace no es válido o ha caducado. Pide uno nuevo.");
  element("content", HTMLElement).hidden = true;
  element("again", HTMLElement).hidden = false;
}

if (!token) useless();
wire({
  check: ({ password, confirmation }) => ({
    password: passwordProblem(password),
    confirmation: confirmationProblem(password, confirmation),
  }),
  send: ({ password, confirmation }) => account.resetPassword({ token, password, confirmation }),
  done: () => location.assign("/login?clave=1"),
  failed: ({ message }) => {
    const dead = message === "Token inválido o expirado";
    if (dead) useless();
    return dead;
  },
});
