// Asks for another address of the account: the page about security loads this module when its form is sent.

import { emailProblem } from "./address.js";
import { account } from "./site.js";

/** What is told instead of the client's sentences, because whoever is signed in needs no login. */
const OWN = "Ese ya es tu email.";
const TAKEN = "Ya hay una cuenta con ese email. Usa otro.";

/**
 * @param {string} email
 * @param {import("../client/types.js").User} user
 * @returns {Promise<import("../client/types.js").Result<{ told: string }>>}
 */
export async function ask(email, user) {
  const isOwn = () => email.trim().toLowerCase() === user.email;
  const problem = isOwn() ? OWN : emailProblem(email);
  if (problem) return { ok: false, code: "invalid-email", field: "email", message: problem };
  const result = await account.changeEmail({ email }, { account: user.id });
  // The change may have just been confirmed.
  if (!result.ok) return result.code === "email-taken" ? { ...result, message: isOwn() ? OWN : TAKEN } : result;
  const sent = `Revisa tu correo nuevo. Hemos enviado un enlace a ${email}, que caduca en 24 horas. Mira también en el correo no deseado.`;
  return { ok: true, told: `${sent} Hasta que lo confirmes, tu email sigue siendo ${user.email}. No necesitas entrar en el correo anterior.` };
}
