// The pages for signed-in users: who is signed in, the end of the session, and another account in its place.

import { account, element, loginAddress, notify, session } from "./site.js";
import { EDITS, kept } from "./storage.js";
import { working } from "./working.js";

/** @import { Code, Result, SessionChange, User } from "../client/types.js" */

/** Whether this page itself is ending the session, so that it needs no notice of that. */
let leaving = false;
/** @type {User | undefined} */
let shown;

/**
 * Returns the signed-in user and shows the page's content, which is hidden until then. Without a session it redirects to
 * the login page, which leads back here. If the service cannot be reached, it shows an error and returns nothing.
 * @returns {Promise<User | undefined>}
 */
export async function signedIn() {
  // Reload a page that the browser restores from its cache, because the user may have signed out since.
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    element("content", HTMLElement).hidden = true;
    location.reload();
  });
  const result = await session();
  element("waiting", HTMLElement).hidden = true;
  if (result.ok) {
    shown = result.user;
    if (kept(EDITS)) (await import("./edits.js")).forgetOthers(shown.id);
    account.onSessionChange(changed);
    element("content", HTMLElement).hidden = false;
    return shown;
  }
  if (lost(result.code)) return undefined;
  notify(result.message, "bad", { heading: "No se ha podido cargar tu cuenta" });
  element("retry", HTMLElement).hidden = false;
  element("retry", HTMLElement).addEventListener("click", () => location.reload());
  return undefined;
}

/**
 * Leads on from a page whose session has ended or belongs to another account now. Returns false for all other failures.
 * @param {Code} code
 */
export function lost(code) {
  if (code === "session-changed") {
    close("En otra pestaña has iniciado sesión con otra cuenta.", { href: location.pathname, text: "Seguir con esa cuenta" });
    return true;
  }
  if (code !== "no-session") return false;
  location.replace(loginAddress());
  return true;
}

/**
 * Runs a call that ends the session of this page.
 * @template {Result} T
 * @param {() => Promise<T>} call
 */
export async function ending(call) {
  leaving = true;
  const result = await call();
  leaving = result.ok;
  return result;
}

/** @param {SessionChange} change */
function changed(change) {
  if (leaving) return;
  if (change.type === "signed-in" && change.account !== shown?.id) lost("session-changed");
  if (change.type === "signed-out") close("Has cerrado la sesión en otra pestaña.", { href: loginAddress(), text: "Iniciar sesión" });
}

/**
 * Hides the content of an account that is not signed in any more, and shows a way on.
 * @param {string} text
 * @param {{ href: string, text: string }} way
 */
function close(text, way) {
  const content = element("content", HTMLElement);
  content.hidden = true;
  content.querySelectorAll("form").forEach((form) => form.reset());
  notify(text, "bad", { heading: "Esta página ya no es de tu sesión", way });
  element("notice", HTMLElement).focus();
}

/** @param {HTMLButtonElement} button */
export async function logout(button) {
  await working(button, "Cerrando…", async () => {
    const result = await ending(() => account.logout({ account: shown?.id }));
    if (result.ok) location.assign("/login?salida=1");
    else if (!lost(result.code)) notify(result.message);
    return result.ok;
  });
}
