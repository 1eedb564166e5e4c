// The button that leads to Google's page, which posts the credential to the service. That request carries no session cookie, so the
// service could not end the session that it replaces. Therefore signed-in users do not see the button, also if they sign in on another tab.

import { button } from "./google.js";
import { account, element } from "./site.js";
import { GOOGLE_AWAY, forget, keep } from "./storage.js";

/**
 * @param {import("./types.js").Google} google
 * @param {string} text
 * @param {string} [next]  The page to open after the login.
 */
export async function redirectButton(google, text, next = "/") {
  const mode = { ux_mode: "redirect", login_uri: `${location.origin}/app/auth/google-callback.php` };
  // Whoever comes back here has not signed in.
  forget(GOOGLE_AWAY);
  addEventListener("pageshow", () => forget(GOOGLE_AWAY));
  let drawn = false;
  const offer = async () => {
    const session = await account.session();
    // A failed call does not mean that nobody is signed in.
    const signedOut = !session.ok && session.code === "no-session";
    if (signedOut) drawn ||= await button(google, mode, text, () => keep(GOOGLE_AWAY, next));
    element("google-section").classList.toggle("room", !signedOut || !drawn);
  };
  account.onSessionChange(() => { offered = offered.then(offer); });
  // The checks run one after the other, so that an older result never overwrites a newer one.
  let offered = offer();
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") offered = offered.then(offer);
  });
  await offered;
}
