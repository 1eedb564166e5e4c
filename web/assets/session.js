// Who is signed in on the pages for signed-in users, and what follows when that changes.

import { account, element, loginAddress, notify, session } from "./site.js";
import { EDITS, kept } from "./storage.js";

/** @import { Code, Result, SessionChange, User } from "../client/types.js" */

/** Whether this page itself is ending the session. */
let leaving = false;
/** Whom the page shows. @type {User | undefined} */
export let shown;
/** The forms whose edits outlive the session. @type {HTMLFormElement[]} */
let editable = [];

/**
 * Returns the signed-in user and shows the page's content. Without a session it leads to the login page. If the service cannot be
 * reached, it shows an error.
 * @returns {Promise<User | undefined>}
 */
export async function signedIn() {
  // The user may have signed out since the browser put the page into its cache.
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

/** Fills in what was typed before the session ended, and keeps it if the session ends now. @param {HTMLFormElement[]} forms */
export async function keepEdits(forms) {
  editable = forms;
  if (!shown || !kept(EDITS) || !(await import("./edits.js")).restore(forms, shown.id)) return;
  notify("Aquí están tus cambios de antes. Revísalos y guárdalos.", "info", { heading: "Cambios sin guardar" });
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
  // The page itself has ended it.
  if (leaving) return true;
  const { id } = shown ?? {};
  const stored = id && editable.length ? import("./edits.js").then(({ keep }) => keep(editable, id)).catch(() => {}) : Promise.resolve();
  stored.then(() => location.replace(loginAddress()));
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
