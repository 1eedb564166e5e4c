// The login with a passkey: in the autofill of the email field, or with a button if there is no autofill or it has failed.

import { destination } from "./destination.js";
import { account, element, notify, report } from "./site.js";
import { LOGIN, keep } from "./storage.js";
import { working } from "./working.js";

/** A device still offers a passkey that its owner has removed from the account. */
const STALE = "Esa llave de acceso no sirve aquí. Entra de otra forma. Si la eliminaste de tu cuenta y tu dispositivo la sigue ofreciendo, bórrala en sus ajustes de contraseñas.";

let waiting = new AbortController();

const button = element("passkey", HTMLButtonElement);
button.addEventListener("click", () => working(button, "Confirma que eres tú…", async () => {
  // A browser allows one request for a passkey at a time.
  waiting.abort();
  return opened(await account.passkeyLogin());
}, { person: true }));

if (await PublicKeyCredential.isConditionalMediationAvailable?.()) {
  addEventListener("pagehide", () => waiting.abort());
  addEventListener("pageshow", ({ persisted }) => { if (persisted) wait(); });
  await wait();
} else {
  button.hidden = false;
  account.preparePasskeyLogin();
}

/** Waits for a passkey from the autofill, and for the next one after one that is refused. */
async function wait() {
  waiting = new AbortController();
  const { signal } = waiting;
  for (;;) {
    const result = await account.passkeyLogin({ autofill: true, signal });
    if (result.ok || result.code === "invalid-passkey") {
      if (await opened(result) || result.ok) return;
      continue;
    }
    // Nobody has asked for a passkey: the button appears instead of a message.
    if (result.code !== "aborted" && result.code !== "passkeys-unsupported") button.hidden = false;
    return;
  }
}

/** Leaves the page, or tells why there is no login. @param {import("../client/types.js").Result} answer */
async function opened(answer) {
  const result = answer.ok ? await (await import("./entry.js")).entered(answer) : answer;
  if (result.ok) {
    keep(LOGIN, "passkey");
    location.assign(destination());
  } else if (result.code === "passkeys-unsupported") {
    button.hidden = true;
    notify(`${result.message} Entra de otra forma.`, "info");
    element("notice").focus();
  } else if (result.code !== "aborted") report(result.code === "invalid-passkey" ? { ...result, message: STALE } : result);
  return result.ok;
}
