// The button that leads to Google's page, which posts the credential to the service. That request carries no session cookie, so the
// service could not end the session that it replaces. Therefore signed-in users do not see the button, also if they sign in on another tab.

import { button } from "./google.js";
import { account, element } from "./site.js";

/** @param {import("./types.js").Google} google */
export async function redirectButton(google) {
  const mode = { ux_mode: "redirect", login_uri: `${location.origin}/app/auth/google-callback.php` };
  let drawn = false;
  const offer = async () => {
    const session = await account.session();
    // A failed call does not mean that nobody is signed in.
    const signedOut = !session.ok && session.code === "no-session";
    if (signedOut) drawn ||= await button(google, mode, "signup_with");
    element("google-section").hidden = !signedOut || !drawn;
  };
  account.onSessionChange(() => { offered = offered.then(offer); });
  // The checks run one after the other, so that an older result never overwrites a newer one.
  let offered = offer();
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") offered = offered.then(offer);
  });
  await offered;
}
