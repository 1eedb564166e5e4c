// Carries the email that a user has typed from page to page, in the tab's storage and not in an address, until the sign-in.

import { emailProblem } from "./rules.js";
import { EMAIL, keep, kept } from "./storage.js";

/**
 * Fills in the email of another page, and keeps what is typed here.
 * @param {HTMLInputElement} field
 */
export function carry(field) {
  field.value ||= kept(EMAIL) ?? "";
  addEventListener("pagehide", () => keepAddress(field.value));
}

/** @param {string} email */
export function keepAddress(email) {
  if (!emailProblem(email)) keep(EMAIL, email.trim());
}
