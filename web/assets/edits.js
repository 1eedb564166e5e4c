// Keeps what a user has typed into the forms of a page while the user signs in again. Passwords are never kept. The browser's storage for
// one tab holds the edits until the next page for signed-in users.

import { EDITS, forget, keep as store, kept } from "./storage.js";

/** @param {HTMLFormElement[]} forms */
const fields = (forms) => forms.flatMap((form) => [...form.elements]).filter((field) => field instanceof HTMLInputElement && field.name && !/password/.test(field.autocomplete));

/**
 * @param {HTMLFormElement[]} forms
 * @param {number} account  The account that the forms belong to.
 */
export function keep(forms, account) {
  const values = fields(forms).map((field) => {
    const { name, value, checked } = /** @type {HTMLInputElement} */ (field);
    return { name, value, checked };
  });
  store(EDITS, JSON.stringify({ account, path: location.pathname, values }));
}

/**
 * Forgets the edits of other accounts and pages.
 * @param {number} account
 */
export function forgetOthers(account) {
  const edits = read();
  if (edits && (edits.account !== account || edits.path !== location.pathname)) forget(EDITS);
}

/**
 * Fills in the edits of this account and page, and forgets them. Returns whether there were any.
 * @param {HTMLFormElement[]} forms
 * @param {number} account
 */
export function restore(forms, account) {
  forgetOthers(account);
  const edits = read();
  if (!edits) return false;
  forget(EDITS);
  for (const field of fields(forms)) {
    const input = /** @type {HTMLInputElement} */ (field);
    const selectable = input.type === "radio" || input.type === "checkbox";
    const edit = edits.values.find(({ name, value }) => name === input.name && (!selectable || value === input.value));
    if (!edit) continue;
    if (selectable) input.checked = edit.checked;
    else input.value = edit.value;
  }
  return true;
}

/** @returns {import("./types.js").Edits | undefined} */
function read() {
  try {
    return JSON.parse(kept(EDITS) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}
