// Mails the link that verifies the address.

import { again } from "./again.js";
import { lost } from "./session.js";
import { account, notify } from "./site.js";
import { working } from "./working.js";

/**
 * @param {HTMLButtonElement} button
 * @param {number} id  The account.
 * @param {() => void} sent  Called after the link was mailed.
 * @param {() => void} verified  Called if the address is verified already.
 * @param {import("./types.js").More} [more]
 */
export async function send(button, id, sent, verified, more) {
  let mailed = false;
  await working(button, "Enviando…", async () => {
    const result = await account.sendVerification({ account: id });
    if (!result.ok) return void (lost(result.code) || notify(result.message, "bad", more));
    if (result.alreadyVerified) return verified();
    mailed = true;
  }, more);
  if (!mailed) return;
  again(button);
  sent();
}
