// Sends the mail that proves the address, and remembers in this browser that an account's address is proved: the service
// only tells when it is asked for such a mail.

import { lost } from "./session.js";
import { account, notify } from "./site.js";

const KEY = "verified";

/** @param {number} id  The account. */
export function knownAsVerified(id) {
  try {
    return localStorage.getItem(KEY) === String(id);
  } catch {
    return false;
  }
}

/**
 * Mails the link. Returns whether the address is verified already.
 * @param {number} id  The account.
 * @param {import("./types.js").More} [more]
 */
export async function sendVerification(id, more) {
  const result = await account.sendVerification({ account: id });
  if (!result.ok) {
    if (!lost(result.code)) notify(result.message, "bad", more);
    return false;
  }
  if (result.alreadyVerified) {
    try {
      localStorage.setItem(KEY, String(id));
    } catch {
      // The browser stores nothing. The page asks again another time.
    }
  }
  const text = result.alreadyVerified ? "Tu dirección ya está verificada" : "Te hemos enviado un correo con un enlace para verificarla";
  notify(text, "good", more);
  return result.alreadyVerified;
}
