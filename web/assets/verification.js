// Mails the link that verifies the address.

import { again } from "./again.js";
import { account, notify } from "./site.js";
import { tell } from "./tell.js";

/**
 * @param {HTMLButtonElement} button  Is at work meanwhile.
 * @param {number} id
 * @param {() => void} sent
 * @param {() => void} verified  Called if the address is verified already.
 * @param {import("./types.js").More} [more]
 */
export async function send(button, id, sent, verified, more) {
  const result = await account.sendVerification({ account: id });
  if (!result.ok) return tell(result, more);
  if (result.alreadyVerified) return verified();
  // As soon as the button is not at work any more.
  setTimeout(() => again(button));
  sent();
}

/**
 * As `send`, for a part of a page that says in `text` and in its notice what comes next.
 * @param {HTMLButtonElement} button
 * @param {import("../client/types.js").User} user
 * @param {HTMLElement} text
 * @param {() => void} verified
 * @param {import("./types.js").More} more
 */
export const sendHere = (button, { id, email }, text, verified, more) => send(button, id, () => {
  text.textContent = "Abre el enlace para confirmar que el email es tuyo.";
  told(`Revisa tu correo. Hemos enviado un enlace a ${email}. Mira también en el correo no deseado.`, more);
}, () => {
  verified();
  told("Tu email ya estaba verificado.", more);
}, more);

/** Tells it in place of the button, which takes no focus any more. @param {string} words @param {import("./types.js").More} more */
function told(words, more) {
  notify(words, "good", more);
  more.place?.focus();
}
