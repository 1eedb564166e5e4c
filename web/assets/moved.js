// Shows the new address of the account that is signed in, which was confirmed in another tab or on another device: `session.js`
// loads this module then.

import { near } from "./form.js";
import { notify } from "./site.js";

/** @param {string} email */
export function show(email) {
  for (const place of document.querySelectorAll("#email, #who")) place.textContent = email;
  const field = document.getElementById("new-email");
  if (!(field instanceof HTMLInputElement) || !field.form) return;
  // Another address that was typed stays.
  if (field.value.trim().toLowerCase() === email) field.value = field.defaultValue = "";
  notify("Email cambiado. Entra desde ahora con el nuevo.", "good", near(field.form));
}
