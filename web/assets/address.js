// Carries the email that a user has typed from page to page, in the tab's storage and not in an address, until the sign-in.

import { emailProblem } from "./rules.js";

const KEY = "email";

/**
 * Fills in the email of another page, and keeps what is typed here.
 * @param {HTMLInputElement} field
 */
export function carry(field) {
  try {
    field.value ||= sessionStorage.getItem(KEY) ?? "";
  } catch {
    return;
  }
  addEventListener("pagehide", () => keepAddress(field.value));
}

/** @param {string} email */
export function keepAddress(email) {
  if (emailProblem(email)) return;
  try {
    sessionStorage.setItem(KEY, email.trim());
  } catch {
    // The browser stores nothing, for example because the user forbids it.
  }
}

export function forgetAddress() {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Nothing is stored.
  }
}
