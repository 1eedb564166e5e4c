// The login with a passkey: in the autofill of the email field, or by a button where the browser has no such autofill.

import { account, destination, element, notify } from "./site.js";
import { working } from "./working.js";

/** Ends the login that waits in the autofill. */
let waiting = new AbortController();

if (await PublicKeyCredential.isConditionalMediationAvailable?.()) {
  addEventListener("pagehide", () => waiting.abort());
  addEventListener("pageshow", ({ persisted }) => { if (persisted) wait(); });
  await wait();
} else {
  const button = element("passkey", HTMLButtonElement);
  button.hidden = false;
  button.addEventListener("click", () => working(button, "Sigue los pasos…", async () => opened(await account.passkeyLogin())));
}

/** Waits until a passkey is chosen in the autofill. After one that is refused, the next one can be chosen. */
async function wait() {
  waiting = new AbortController();
  const { signal } = waiting;
  for (;;) {
    const result = await account.passkeyLogin({ autofill: true, signal });
    if (opened(result) || result.code !== "invalid-passkey") return;
  }
}

/**
 * Leaves the page after a login, and tells why there is none.
 * @param {import("../client/types.js").Result} result
 */
function opened(result) {
  if (result.ok) location.assign(destination());
  // A page without passkeys offers the other ways.
  else if (result.code === "passkeys-unsupported") element("passkey", HTMLElement).hidden = true;
  else if (result.code !== "aborted") notify(result.message);
  return result.ok;
}
