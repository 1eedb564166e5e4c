// Offers a passkey after a login with the password: at most once a month, and never again after "No, gracias".

import { account, element } from "./site.js";
import { BROWSER, PASSWORD_LOGIN, forget, keep } from "./storage.js";

/** What the browser remembers: the time of the last offer, or that there will be no other one. */
const KEY = "passkey-offer";
const NEVER = "never";
/** Milliseconds between two offers. */
const PAUSE = 30 * 24 * 60 * 60 * 1000;

/** @param {number} id */
export async function offer(id) {
  forget(PASSWORD_LOGIN);
  if (!due() || !(await globalThis.PublicKeyCredential?.isUserVerifyingPlatformAuthenticatorAvailable())) return;
  const result = await account.passkeys({ account: id });
  if (!result.ok || result.passkeys.length) return;
  keep(KEY, String(Date.now()), BROWSER);
  const card = element("passkey-offer");
  element("passkey-later").addEventListener("click", () => {
    keep(KEY, NEVER, BROWSER);
    card.hidden = true;
    element("main").focus();
  });
  card.hidden = false;
}

function due() {
  try {
    const last = localStorage.getItem(KEY);
    return last !== NEVER && Date.now() - Number(last) > PAUSE;
  } catch {
    // A browser that remembers nothing could not keep the promise.
    return false;
  }
}
