// What the pages keep in the storage of the tab or of the browser. They work without it: the user may forbid it.

/**
 * The keys of the typed email, of edits, of the mark that the session has ended, of the marks that the user has just logged in
 * (`BY_PASSWORD` or anything else) and with Google, and of the page to open after Google's own page.
 */
export const [EMAIL, EDITS, ENDED, LOGIN, GOOGLE_LOGIN, GOOGLE_AWAY] = ["email", "edits", "ended", "offer", "google", "away"];
export const BY_PASSWORD = "1";

/** The storage that outlives the tab, and its key for the time of the last login, by the device's clock. */
export const [BROWSER, SINCE] = /** @type {const} */ (["localStorage", "since"]);

/** @typedef {"sessionStorage" | typeof BROWSER} Where */

/** @param {string} key @param {string} value @param {Where} [where] */
export function keep(key, value, where = "sessionStorage") {
  try {
    globalThis[where].setItem(key, value);
  } catch {}
}

/** @param {string} key @param {Where} [where] */
export function kept(key, where = "sessionStorage") {
  try {
    return globalThis[where].getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} key */
export function forget(key) {
  try {
    sessionStorage.removeItem(key);
  } catch {}
}

/** The edits that are kept. @returns {import("./types.js").Edits | undefined} */
export function keptEdits() {
  try {
    const found = JSON.parse(kept(EDITS) ?? "null");
    return found?.pages ? found : undefined;
  } catch {
    return undefined;
  }
}
