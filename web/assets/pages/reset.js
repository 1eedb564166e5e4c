import { wire } from "../form.js";
import { mailedToken, spend } from "../mailed.js";
import { confirmationProblem, passwordProblem } from "../rules.js";
import { account, element, notify } from "../site.js";

const token = mailedToken();

/** Replaces the form by a link to request a new token. */
function useless() {
  element("heading", HTMLElement).textContent = "Este enlace ya no sirve";
  notify("El enlace no es válido o ha caducado. Pide uno nuevo.", "bad", { heading: "Enlace caducado" });
  element("content", HTMLElement).hidden = true;
  element("again", HTMLElement).hidden = false;
}

if (!token) useless();
wire({
  doing: "Guardando…",
  check: ({ password, confirmation }) => ({
    password: passwordProblem(password),
    confirmation: confirmationProblem(password, confirmation),
  }),
  send: ({ password, confirmation }) => account.resetPassword({ token, password, confirmation }),
  done: () => {
    spend(token);
    return "/login?clave=1";
  },
  failed: ({ code }) => {
    const dead = code === "invalid-token";
    if (!dead) return false;
    spend(token);
    useless();
    element("heading", HTMLElement).focus();
    return true;
  },
});
