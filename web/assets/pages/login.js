import { carry, emailProblem } from "../address.js";
import { config, installed } from "../config.js";
import { destination } from "../destination.js";
import { wire } from "../form.js";
import { account, element, notify, report, session } from "../site.js";
import { BY_PASSWORD, ENDED, GOOGLE_AWAY, GOOGLE_LOGIN, LOGIN, forget, keep, kept, keptEdits } from "../storage.js";
import { atWork, working } from "../working.js";

/** @type {Record<string, [string, import("../types.js").Tone?]>} */
const REASONS = {
  error: ["No se ha podido iniciar sesión con Google. Inténtalo de nuevo.", "bad"],
  reciente: ["Confirma que eres tú. Escribe tu contraseña o usa otra forma de entrar.", "info"],
  volver: ["Inicia sesión para continuar.", "info"],
  registro: ["Cuenta creada. Ya puedes iniciar sesión."],
  clave: ["Contraseña cambiada. Hemos cerrado todas las sesiones. Entra con la nueva."],
  llaves: ["Contraseña cambiada. Tu cuenta ya no tiene llaves de acceso. Hemos cerrado todas las sesiones. Entra con la nueva contraseña."],
  salida: ["Has cerrado la sesión."],
  baja: ["Hemos eliminado tu cuenta y todos tus datos."],
};

const asked = new URLSearchParams(location.search);
const [reason, [text, tone = "good"]] = Object.entries(REASONS).find(([name]) => asked.has(name)) ?? ["", [""]];
// Whoever opens the start page without a session expects the login, and needs no notice.
if (text && !(reason === "volver" && destination() === "/")) notify(text, tone);
if (reason === "volver" && kept(ENDED)) notify("Tu sesión ha terminado. Inicia sesión para continuar.", "info");
forget(ENDED);
// At once: a notice that came later would move the button under a finger.
if (reason === "volver" && keptEdits()?.pages[destination().replace(/#.*/, "")]) notify("Tu sesión ha terminado. Tus cambios están guardados en este navegador. Inicia sesión para recuperarlos.", "info");
if (asked.has("cookies") || (reason === "error" && !navigator.cookieEnabled)) import("../entry.js").then(({ NOT_KEPT }) => notify(NOT_KEPT)).catch(() => {});
forget(GOOGLE_AWAY);
// A reload does not tell it again.
const left = new URLSearchParams([...asked].filter(([name]) => name === "volver" || name === "reciente"));
if (`${left}` !== `${asked}`) history.replaceState(null, "", `${left}` ? `/login?${left}` : "/login");
carry(element("email", HTMLInputElement));

const stays = ["error", "reciente", "clave", "llaves", "registro"].includes(reason);
const enterButton = element("enter", HTMLButtonElement);
// Whoever is signed in already needs no login, unless Google's has just failed, the service wants a recent one, or it is for another account.
session().then((result) => {
  if (!result.ok) return;
  if (!stays) return location.replace(destination());
  if (!["clave", "llaves", "registro"].includes(reason)) return;
  notify(`${text.split(". ")[0]}. En este navegador está abierta la sesión de ${result.user.email}. Si es de otra cuenta, entra aquí con la tuya.`, "info", {
    way: { href: destination(), text: "Seguir con esa sesión" },
  });
});
/** The user may have signed in on another tab. */
const returned = async () => {
  if (document.visibilityState === "visible" && !stays && (await account.session()).ok && !atWork(enterButton)) location.replace(destination());
};
document.addEventListener("visibilitychange", returned);
addEventListener("focus", returned);
addEventListener("pageshow", async ({ persisted }) => { if (persisted && (await account.session()).ok) location.replace(destination()); });

// Content blockers may stop the modules of the captcha and of Google because of their names. The form works without them.
const NONE = { token: () => undefined, reset: () => {} };
const widget = config().then(async ({ captcha }) => {
  if (!captcha) return NONE;
  return captcha.provider === "altcha" ? (await import("../proof.js")).proofs() : (await import("../captcha.js")).captcha(captcha);
}).catch(async () => {
  (await import("../script.js")).blocked("captcha", "No hemos podido comprobar que no eres un robot. Permite captcha.js en tu bloqueador de contenidos y recarga la página.");
  return NONE;
});

wire({
  doing: "Entrando…",
  check: ({ email, password }) => ({ email: emailProblem(email), password: password ? "" : "Escribe tu contraseña." }),
  send: async ({ email, password }) => keptBy(await account.login({ email, password, captcha: await (await widget).token() })),
  done: () => {
    keep(LOGIN, BY_PASSWORD);
    return destination();
  },
  failed: () => {
    widget.then(({ reset }) => reset());
    return false;
  },
});

if ("PublicKeyCredential" in globalThis) import("../passkey-login.js").catch(() => {});

config().then(async ({ google }) => {
  if (!google) return void (element("google-section").hidden = true);
  if (installed()) await (await import("../google-redirect.js")).redirectButton(google, "signin_with", destination());
  else await (await import("../google.js")).button(google, { ux_mode: "popup", callback: enter }, "signin_with");
}).catch(async () => {
  (await import("../script.js")).blocked("google-section", "El acceso con Google no está disponible. Entra con tu contraseña, o permite google.js en tu bloqueador de contenidos y recarga la página.");
});

/** The result of a login whose session the browser has kept. @template T @param {import("../../client/types.js").Result<T>} result */
async function keptBy(result) {
  return result.ok ? (await import("../entry.js")).entered(result) : result;
}

/** @param {{ credential: string }} answer  Of Google's window. */
function enter({ credential }) {
  notify("Entrando con Google…", "info");
  return working(enterButton, "Entrando…", async () => {
    const result = await keptBy(await account.googleLogin(credential));
    if (!result.ok) return report(result);
    // If the account has no password any more, the home page says so once.
    if (!result.created) keep(GOOGLE_LOGIN, "1");
    keep(LOGIN, "google");
    location.assign(destination());
    return true;
  });
}
