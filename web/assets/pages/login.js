import { carry } from "../address.js";
import { wire } from "../form.js";
import { emailProblem } from "../rules.js";
import { account, config, destination, element, notify, sayAt, session } from "../site.js";
import { OFFER, keep } from "../storage.js";

/** @type {Record<string, [string, ("good" | "bad")?, string?]>} */
const REASONS = {
  error: ["No se ha podido iniciar sesión con Google. Inténtalo de nuevo.", "bad"],
  reciente: ["Escribe tu contraseña o usa otra forma de entrar.", "good", "Confirma que eres tú"],
  volver: ["Inicia sesión para continuar.", "good", "Hace falta tu sesión"],
  registro: ["Cuenta creada. Ya puedes iniciar sesión."],
  clave: ["Contraseña cambiada. Inicia sesión con la nueva."],
  salida: ["Has cerrado la sesión."],
  baja: ["Tu cuenta se ha eliminado."],
};

const asked = new URLSearchParams(location.search);
const [text, tone = "good", heading] = Object.entries(REASONS).find(([name]) => asked.has(name))?.[1] ?? [];
if (text) notify(text, tone, { heading });
carry(element("email", HTMLInputElement));

// Whoever is signed in already needs no login, unless Google's has just failed or the service wants a recent one.
session().then(({ ok }) => { if (ok && !asked.has("error") && !asked.has("reciente")) location.replace(destination()); });

// Content blockers may stop these two modules because of their names. The form works without them.
const NONE = { token: () => undefined, reset: () => {} };
const widget = config().then(async ({ captcha }) => (captcha ? (await import("../captcha.js")).captcha() : NONE)).catch(() => {
  sayAt("captcha", "No se ha podido cargar la comprobación de que eres una persona. Permite captcha.js en tu bloqueador de contenidos, o recarga la página.");
  return NONE;
});

wire({
  doing: "Entrando…",
  check: ({ email, password }) => ({ email: emailProblem(email), password: password ? "" : "Escribe tu contraseña" }),
  send: async ({ email, password }) => account.login({ email, password, captcha: await (await widget).token() }),
  done: () => {
    keep(OFFER, "1");
    return destination();
  },
  failed: () => {
    widget.then(({ reset }) => reset());
    return false;
  },
});

if ("PublicKeyCredential" in globalThis) import("../passkey-login.js").catch(() => {});

config().then(async ({ google }) => google && (await import("../google.js")).popupButton(google, enter)).catch(() => {
  sayAt("google", "No se ha podido cargar el acceso con Google. Entra con tu contraseña, o permite google.js en tu bloqueador de contenidos.");
});

/** @param {string} credential */
async function enter(credential) {
  notify("Entrando…", "good");
  const result = await account.googleLogin(credential);
  if (result.ok) location.assign(destination());
  else notify(result.message);
}
