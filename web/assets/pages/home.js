import { nameOf, picture } from "../avatars.js";
import { handleLoss, signedIn } from "../session.js";
import { account, element, notify } from "../site.js";
import { BROWSER, GOOGLE_AWAY, GOOGLE_LOGIN, LOGIN, SINCE, forget, keep, kept } from "../storage.js";
import { working } from "../working.js";

/** The storage key for the id of the account whose owner has been told in this browser that it has no password. */
const TOLD = "no-password";
const moment = new Intl.DateTimeFormat("es", { dateStyle: "medium", timeStyle: "short" });

// Google's page leads here. A browser that keeps no cookie has no session then.
const next = kept(GOOGLE_AWAY);
forget(GOOGLE_AWAY);
if (next) keep(SINCE, String(Date.now()), BROWSER);
const user = await signedIn(next ? "/login?cookies=1" : undefined);
if (user && next && next !== "/") location.replace(next);
else if (user) {
  fill(user);
  if (new URLSearchParams(location.search).has("bienvenida")) {
    history.replaceState(null, "", "/");
    notify("Cuenta creada. Ya has iniciado sesión.", "good");
  }
  if (next || kept(LOGIN)) import("../passkey-offer.js").then(({ loggedIn }) => loggedIn(user.id)).catch(() => {});
  // The grey card keeps the place of the next step, so that "Tu cuenta" does not move when the answer comes.
  await suggestNext(user).finally(() => { element("next-waiting").hidden = true; });
  // Another tab has changed the account.
  account.onSessionChange(async ({ type }) => {
    const now = type === "changed" && await account.session();
    if (!now || !now.ok || now.user.id !== user.id) return;
    fill(now.user);
    await suggestNext(now.user);
  });
}

/** @param {import("../../client/types.js").User} user */
function fill({ name, email, avatarUrl, acceptsNews }) {
  element("greeting").textContent = `Hola, ${name}`;
  const portrait = element("portrait", HTMLImageElement);
  portrait.src = picture(nameOf(avatarUrl));
  portrait.hidden = false;
  element("email").textContent = email;
  element("news").textContent = acceptsNews ? "Sí" : "No";
}

/** Shows the login before this one, so that its owner notices one of somebody else. @param {ReturnType<typeof account.activity>} asked @param {Date} [since]  The login of this session. */
async function showLast(asked, since) {
  const result = since && await asked;
  const logins = result?.ok ? result.activity.filter(({ kind }) => kind === "login") : [];
  const last = logins.find(({ at }) => since && at < since);
  const text = () => {
    if (last) return [moment.format(last.at), last.browser].filter(Boolean).join(" · ");
    return logins.some(({ count }) => count > 1) ? "Hace menos de una hora" : "Este es el primero que conocemos";
  };
  element("last").textContent = result?.ok ? text() : "No se ha podido comprobar";
}

/** Suggests the next step, or nothing without an answer of the service. @param {import("../../client/types.js").User} user */
async function suggestNext({ id, email }) {
  const [activity, result] = [account.activity({ account: id }), await account.sessions({ account: id })];
  showLast(activity, result.ok ? result.sessions.find(({ current }) => current)?.createdAt : undefined);
  if (!result.ok) return void handleLoss(result.code);
  const told = kept(GOOGLE_LOGIN) && !result.hasPassword && kept(TOLD, BROWSER) !== String(id);
  forget(GOOGLE_LOGIN);
  if (told) {
    keep(TOLD, String(id), BROWSER);
    notify("Tu cuenta no tiene contraseña. Al entrar con Google has verificado tu email. Si antes tenías una, ya no sirve: pudo elegirla otra persona.", "info", {
      way: { href: "/seguridad#contrasena", text: "Elegir una contraseña" },
    });
  }
  const sessions = () => {
    const count = result.sessions.length;
    if (count > 1) suggest(`Tienes ${count} sesiones abiertas`, "Mira si las reconoces todas y cierra las que no uses.", "next-link");
    else if (!told) suggest("Todo en orden", "Tu email está verificado y solo tienes abierta esta sesión.", "next-quiet");
  };
  if (result.emailVerified) return sessions();
  suggest("Confirma que este email es tuyo", "Así sabemos que los avisos sobre tu cuenta te llegan a ti.", "next-button");
  const sent = () => {
    suggest("Revisa tu correo", `Hemos enviado un enlace a ${email}. Ábrelo para confirmar que el email es tuyo. Si no llega en unos minutos, mira en el correo no deseado.`, "next-button");
    element("next-heading").focus();
  };
  const button = element("next-button", HTMLButtonElement);
  button.onclick = () => working(button, "Enviando…", async () => (await import("../verification.js")).send(button, id, sent, sessions));
}

/** @param {string} heading @param {string} text @param {string} control */
function suggest(heading, text, control) {
  element("next-heading").textContent = heading;
  element("next-text").textContent = text;
  // If all is in order, there is no next step.
  element("next-eyebrow").hidden = control === "next-quiet";
  for (const id of ["next-button", "next-link", "next-quiet"]) element(id).hidden = id !== control;
  element("next").hidden = false;
}
