// The login with a passkey: in the autofill of the email field, or by a button where the browser has no such autofill, or where
// it has not worked.

import { account, destination, element, notify } from "./site.js";
import { working } from "./working.js";

/** Ends the login that waits in the autofill. */
let waiting = new AbortController();

const button = element("passkey", HTMLButtonElement);
button.addEventListener("click", () => working(button, "Sigue los pasos…", async () => {
  // A browser has one such question at a time.
  waiting.abort();
  return opened(await account.passkeyLogin());
}));

if (await PublicKeyCredential.isConditionalMediationAvailable?.()) {
  addEventListener("pagehide", () => waiting.abort());
  addEventListener("pageshow", ({ persisted }) => { if (persisted) wait(); });
  await wait();
} else {
  button.hidden = false;
}

/** Waits until a passkey is chosen in the autofill. After one that is refused, the next one can be chosen. */
async function wait() {
  waiting = new AbortController();
  const { signal } = waiting;
  for (;;) {
    const result = await account.passkeyLogin({ autofill: true, signal });
    if (result.ok || result.code === "invalid-passkey") {
      if (opened(result)) return;
      continue;
    }
    // Nobody has asked for a passkey, or the person has changed their mind. So nothing is told, and the button is the other way.
    if (result.code !== "aborted" && result.code !== "passkeys-unsupported") button.hidden = false;
    return;
  }
}

/**
 * Leaves the page after a login, and tells why there is none.
 * @param {import("../client/types.js").Result} result
 */
function opened(result) {
  if (result.ok) location.assign(destination());
  else if (result.code === "passkeys-unsupported") {
    button.hidden = true;
    notify(`${result.message} Entra de otra forma.`, "info", { heading: "Sin llave de acceso" });
    element("notice", HTMLElement).focus();
  } else if (result.code !== "aborted") notify(result.message);
  return result.ok;
}
