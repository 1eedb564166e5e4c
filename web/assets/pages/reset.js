import { wire } from "../form.js";
import { BROKEN, FORGOTTEN, OVER, mailedLink, spend } from "../mailed.js";
import { confirmationProblem, passwordProblem } from "../rules.js";
import { account, element, notify } from "../site.js";
import { EMAIL, kept } from "../storage.js";

/** The heading, and what the user is told about a link. */
const FAULTS = /** @type {const} */ ({
  broken: BROKEN,
  forgotten: FORGOTTEN,
  used: [OVER, "Ya se ha usado, ha caducado o hay uno más nuevo. Usa el último que te hemos enviado, o pide otro."],
  lost: [OVER, "Quizá tu contraseña ya es la nueva. Prueba a entrar con ella, o pide otro enlace."],
  expired: [OVER, "Ha caducado según el reloj de este dispositivo. Si el reloj no va bien, puedes usarlo de todos modos."],
});
/** Failures after which the password may be the new one nevertheless. */
const LOST = ["network", "timeout", "unavailable"];
let isLost = false;
const { token, fault } = mailedLink();
const heading = element("heading");
const title = heading.textContent;
const anyway = element("anyway", HTMLButtonElement);

/** Replaces the form by a link to request a new token. @param {keyof typeof FAULTS} why */
function useless(why) {
  const [words, message] = FAULTS[why];
  heading.textContent = words;
  notify(message, why === "forgotten" || why === "lost" ? "info" : "bad");
  offer(false, why);
}

/** Shows the form, or else the link to request another email and, if the opened link may still work, the button to try it. @param {boolean} usable @param {keyof typeof FAULTS} [why] */
function offer(usable, why) {
  element("content").hidden = !usable;
  element("again").hidden = usable;
  anyway.hidden = why !== "expired";
}

if (fault) useless(fault);
anyway.addEventListener("click", () => {
  notify("");
  heading.textContent = title;
  offer(true);
  heading.focus();
});
// For password managers, if the user has asked for the link in this tab.
element("account", HTMLInputElement).value = kept(EMAIL) ?? "";
wire({
  doing: "Guardando…",
  check: ({ password, confirmation }) => ({
    password: passwordProblem(password),
    confirmation: confirmationProblem(password, confirmation),
  }),
  send: ({ password, confirmation, passkeys }) => account.resetPassword({ token, password, confirmation, removePasskeys: passkeys === "remove" }),
  done: (_, { passkeys }) => {
    spend(token);
    return passkeys ? "/login?llaves=1" : "/login?clave=1";
  },
  failed: ({ code }) => {
    isLost ||= LOST.includes(code);
    if (code !== "invalid-token") return false;
    spend(token);
    useless(isLost ? "lost" : "used");
    heading.focus();
    return true;
  },
});
