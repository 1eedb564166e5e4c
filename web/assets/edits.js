// Keeps what a user has typed into the forms of a page while the user signs in again. Passwords are never kept.

import { EDITS, forget, keep as store, kept } from "./storage.js";

/** @param {HTMLFormElement[]} forms */
const fields = (forms) => forms.flatMap((form) => [...form.elements])
  .filter((field) => field instanceof HTMLInputElement).filter(({ name, autocomplete }) => name && !/password/.test(autocomplete));

/** @param {HTMLInputElement} field */
const selectable = ({ type }) => type === "radio" || type === "checkbox";

/** @param {HTMLInputElement} field */
const edited = (field) => (selectable(field) ? field.checked !== field.defaultChecked : field.value !== field.defaultValue);

/** Keeps what differs from the values that the page has filled in. @param {HTMLFormElement[]} forms @param {number} account  Whose forms they are. */
export function keep(forms, account) {
  const values = fields(forms).filter(edited).map(({ name, value, checked }) => ({ name, value, checked }));
  if (values.length) store(EDITS, JSON.stringify({ account, path: location.pathname, values }));
}

/** What has been saved is no edit any more. @param {HTMLFormElement} form @param {import("./types.js").Values} values */
export function saved(form, values) {
  for (const field of fields([form])) {
    if (selectable(field)) field.defaultChecked = values[field.name] === field.value;
    else field.defaultValue = values[field.name] ?? "";
  }
}

/** Whether there are edits of the page at this path. @param {string} path */
export const waiting = (path) => read()?.path === path;

/** Forgets the edits of other accounts and pages. @param {number} account */
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
  for (const input of fields(forms)) {
    const edit = edits.values.find(({ name, value }) => name === input.name && (!selectable(input) || value === input.value));
    if (!edit) continue;
    if (selectable(input)) input.checked = edit.checked;
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
