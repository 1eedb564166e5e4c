// What follows a login. The browser learns which passkeys the account has. After a login with the password, it creates one without a
// question if it can, or the page offers one: at most once a month, and never again after "No, gracias".

import { account, element } from "./site.js";
import { BROWSER, BY_PASSWORD, LOGIN, forget, keep, kept } from "./storage.js";

/** What the browser remembers: the time of the last offer, or that there will be no other one. */
const KEY = "passkey-offer";
const NEVER = "never";
/** Milliseconds between two offers. */
const PAUSE = 30 * 24 * 60 * 60 * 1000;
/** Milliseconds that the offer waits for a passkey without a question. */
const PATIENCE = 10_000;

/** @param {number} id */
export async function loggedIn(id) {
  const wanted = kept(LOGIN) === BY_PASSWORD && due();
  forget(LOGIN);
  if (!("PublicKeyCredential" in globalThis)) return;
  const silent = wanted && (await PublicKeyCredential.getClientCapabilities?.())?.conditionalCreate;
  const offered = wanted && (await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable());
  if (!silent && !offered && !("signalAllAcceptedCredentials" in PublicKeyCredential)) return;
  const result = await account.passkeys({ account: id });
  if (!result.ok) return;
  // The login page was left before the client could do this. A passkey that is created next would be missing in the list.
  await import("../client/signals.js").then(({ accepted }) => accepted(result)).catch(() => {});
  if (result.passkeys.length || !(silent || offered)) return;
  keep(KEY, String(Date.now()), BROWSER);
  // Whoever removes a passkey that came by itself wants none.
  if (silent && (await account.createPasskeySilently({ account: id, signal: AbortSignal.timeout(PATIENCE) })).ok) return keep(KEY, NEVER, BROWSER);
  if (!offered) return;
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
