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
