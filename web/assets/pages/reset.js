import { wire } from "../form.js";
import { confirmationProblem, passwordProblem } from "../rules.js";
import { account, element, notify } from "../site.js";

// First remove the token from the address bar and from the browser's history.
const token = new URLSearchParams(location.search).get("token") ?? "";
history.replaceState(null, "", location.pathname);

/** Replaces the form by a link to request a new token. */
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
