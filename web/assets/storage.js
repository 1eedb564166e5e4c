// What the pages keep in the storage of the tab. A browser may store nothing, for example because the user forbids it. The pages work
// without what they have kept.

/** The keys of the email that the user has typed, of the edits that wait for the next login, and of a login with the password. */
export const [EMAIL, EDITS, OFFER] = ["email", "edits", "offer"];

/** @param {string} key @param {string} value */
export function keep(key, value) {
  try {
    sessionStorage.setItem(key, value);
  } catch {}
}

/** @param {string} key */
export function kept(key) {
  try {
    return sessionStorage.getItem(key);
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
