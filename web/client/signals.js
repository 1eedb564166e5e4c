// Tells the browser which passkeys the service knows, so that it offers no others: `index.js` loads this module.

/** @import { AccountClient, Passkey } from "./types.js" */

/** Milliseconds after a call. A page that goes on to another one makes no further request. */
const PAUSE = 1_000;

/** The browser's functions, which TypeScript does not know yet (WebAuthn, Level 3, section 5.1.10). */
const browser = () => /** @type {any} */ (globalThis.PublicKeyCredential);

/** The account has these passkeys and no others. @param {{ rpId?: string, userHandle?: string, passkeys: Passkey[] }} list */
export async function accepted({ rpId, userHandle, passkeys }) {
  // An account without a handle has never had one.
  if (rpId && userHandle) await browser().signalAllAcceptedCredentials?.({ rpId, userId: userHandle, allAcceptedCredentialIds: passkeys.map(({ credential }) => credential) });
}

/**
 * The same, with a list that is asked for soon. During a creation the device may have a passkey that the list lacks; the end of the
 * creation tells the browser again.
 * @param {AccountClient["passkeys"]} ask @param {() => boolean} creating
 */
export async function later(ask, creating) {
  await new Promise((resolve) => { setTimeout(resolve, PAUSE); });
  const result = await ask();
  if (result.ok && !creating()) await accepted(result);
}

/** Nobody has this passkey. @param {string} rpId @param {string} credentialId */
export async function unknown(rpId, credentialId) {
  await browser().signalUnknownCredential({ rpId, credentialId });
}
