// Keeps what a user has typed into the forms of a page while the page is left, or the user signs in again. Passwords are never kept.

import { EDITS, forget, keep as store, keptEdits } from "./storage.js";

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
  const edits = keptEdits();
  write(account, { ...(edits?.account === account && edits.pages), [location.pathname]: values.length ? values : undefined });
}

/** What has been saved is no edit any more. @param {HTMLFormElement} form @param {import("./types.js").Values} values */
export function saved(form, values) {
  for (const field of fields([form])) {
    if (selectable(field)) field.defaultChecked = values[field.name] === field.value;
    else field.defaultValue = values[field.name] ?? "";
  }
}

/** Forgets the edits of other accounts. @param {number} account */
export function forgetOthers(account) {
  if (keptEdits()?.account !== account) forget(EDITS);
}

/**
 * Fills in the edits of this account and page, and forgets them. Returns whether there were any.
 * @param {HTMLFormElement[]} forms
 * @param {number} account
 */
export function restore(forms, account) {
  forgetOthers(account);
  const pages = keptEdits()?.pages ?? {};
  const values = pages[location.pathname];
  if (!values) return false;
  write(account, { ...pages, [location.pathname]: undefined });
  for (const input of fields(forms)) {
    const edit = values.find(({ name, value }) => name === input.name && (!selectable(input) || value === input.value));
    if (!edit) continue;
    if (selectable(input)) input.checked = edit.checked;
    else input.value = edit.value;
  }
  return true;
}

/** @param {number} account @param {import("./types.js").Edits["pages"]} pages */
function write(account, pages) {
  if (Object.values(pages).some(Boolean)) store(EDITS, JSON.stringify({ account, pages }));
  else forget(EDITS);
}
