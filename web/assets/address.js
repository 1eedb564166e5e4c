// The email that a user types: its rules, and how one page passes it to the next. The tab's storage keeps it until the
// sign-in, so it is in no URL.

import { MESSAGES } from "../client/index.js";
import { EMAIL, keep, kept } from "./storage.js";

const SHAPE = /^[a-z0-9!#$%&'*+\-/=?^_`{|}~.]{1,64}@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]*[a-z0-9]$/i;

/** Gives the error message, or an empty string. @param {string} text */
export function emailProblem(text) {
  const email = text.trim();
  if (!email) return MESSAGES["email-required"];
  return SHAPE.test(email) && email.length <= 254 ? "" : MESSAGES["invalid-email"];
}

/** Fills in the email of another page, and keeps what is typed here. @param {HTMLInputElement} field */
export function carry(field) {
  field.value ||= kept(EMAIL) ?? "";
  addEventListener("pagehide", () => keepAddress(field.value));
}

/** @param {string} email */
export function keepAddress(email) {
  if (!emailProblem(email)) keep(EMAIL, email.trim());
}
