// Who is signed in on the pages for signed-in users, and what follows when that changes.

import { show } from "./menu.js";
import { account, element, loginAddress, notify, session } from "./site.js";
import { EDITS, ENDED, forget, keep, kept } from "./storage.js";

/** @import { Code, Result, SessionChange, User } from "../client/types.js" */

/** Milliseconds until a page loads what warns of the end of the session. Whoever leaves it sooner needs no warning. */
const LATER = 60_000;

/** Milliseconds that the content waits for what would move it when it comes. Whoever waits longer sees it move. */
const TOGETHER = 300;

/** Whether the page itself is ending the session. */
let leaving = false;
/** Whether its account is not signed in any more. */
let closed = false;
/** Whom the page shows. @type {User | undefined} */
export let shown;
/** The forms whose edits outlive the page and the session. @type {HTMLFormElement[]} */
let editable = [];
/** What keeps them, as soon as somebody is about to type. @type {typeof import("./edits.js") | undefined} */
let edits;

/**
 * Shows the page's content to its user. Without a session it leads to the login page.
 * @param {string} [login]
 * @param {(user: User) => Promise<unknown>} [fill]  Fills the content in, which is shown then, or after a moment.
 * @returns {Promise<User | undefined>}
 */
export async function signedIn(login, fill) {
  // The user may have signed out since the browser put the page into its cache.
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    element("content").hidden = true;
    location.reload();
  });
  const result = await session();
  if (result.ok) {
    shown = result.user;
    const { id } = shown;
    if (kept(EDITS)) await import("./edits.js").then(({ forgetOthers }) => forgetOthers(id)).catch(() => {});
    account.onSessionChange(changed);
    warnLater({ date: Date.now(), page: performance.now() });
    if (fill) await Promise.race([fill(shown), new Promise((resolve) => { setTimeout(resolve, TOGETHER); })]).catch(reportError);
    element("waiting").hidden = true;
    if (closed) return undefined;
    element("content").hidden = false;
    return shown;
  }
  element("waiting").hidden = true;
  if (handleLoss(result.code, login)) return undefined;
  notify(`No se ha podido cargar tu cuenta. ${result.message}`);
  element("retry").hidden = false;
  element("retry").addEventListener("click", () => location.reload());
  return undefined;
}

/** @param {import("./types.js").Moment} used  When the session was last used. */
function warnLater(used) {
  setTimeout(() => import("./idle.js").then(({ watch }) => watch(used)).catch(() => warnLater(used)), LATER);
}

/**
 * Fills in the edits that were kept when the page was left. From now on, the edits of these forms are kept when it is left, unless
 * the user signs out.
 * @param {HTMLFormElement[]} forms
 */
export async function keepEdits(forms) {
  editable = forms;
  const load = () => import("./edits.js").then((module) => (edits = module));
  for (const form of forms) form.addEventListener("focusin", () => { load().catch(() => {}); }, { once: true });
  addEventListener("pagehide", () => { if (shown && !leaving) edits?.keep(editable, shown.id); });
  if (!shown || !kept(EDITS) || !(await load().catch(() => {}))?.restore(forms, shown.id)) return;
  notify("Aquí están tus cambios de antes. Revísalos y guárdalos.", "info");
}

/**
 * If the session has ended, leads to the login page. If it is of another account now, hides the content and offers a
 * link. Returns false for all other failures.
 * @param {Code} code
 * @param {string} [login]
 */
export function handleLoss(code, login = loginAddress()) {
  if (code === "session-changed") {
    close("En otra pestaña has iniciado sesión con otra cuenta.", { href: location.pathname, text: "Seguir con esa cuenta" });
    return true;
  }
  if (code !== "no-session") return false;
  if (leaving) return true;
  closed = true;
  // The login says so.
  if (shown) keep(ENDED, "1");
  keepTyped().then(() => location.replace(login));
  return true;
}

/** Keeps the edits until the next login. */
export async function keepTyped() {
  const { id } = shown ?? {};
  if (id && editable.length) await import("./edits.js").then(({ keep }) => keep(editable, id)).catch(() => {});
}

/** Runs a call that ends the session of this page. @template {Result} T @param {() => Promise<T>} call */
export async function ending(call) {
  leaving = true;
  const result = await call();
  leaving = result.ok;
  if (leaving) forget(EDITS);
  return result;
}

/** @param {SessionChange} change */
function changed(change) {
  if (leaving) return;
  if (change.type === "changed" && change.email) moved(change.email);
  if (change.type === "signed-in" && change.account !== shown?.id) handleLoss("session-changed");
  if (change.type !== "signed-out") return;
  if (change.ended) return void handleLoss("no-session");
  show(false);
  close("Has cerrado la sesión en otra pestaña.", { href: loginAddress(), text: "Iniciar sesión" });
}

/** The account has another address now. Nothing that is typed or at work is lost. @param {string} email */
async function moved(email) {
  if (shown) shown.email = email;
  (await import("./moved.js")).show(email);
}

/** Hides the content of an account that is not signed in any more. @param {string} text @param {{ href: string, text: string }} way */
function close(text, way) {
  closed = true;
  const content = element("content");
  content.hidden = true;
  content.querySelectorAll("form").forEach((form) => form.reset());
  forget(EDITS);
  notify(text, "info", { way: { ...way, look: "button" } });
  element("notice").focus();
}
