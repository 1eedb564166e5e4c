// Google's button, where a client id is configured and Google's script can be loaded. Without either the page works, and
// does not mention it.

import { account, config, element } from "./site.js";
import { load } from "./script.js";

/**
 * Shows the button that opens a window, and hands over the credential that comes from it.
 * @param {(credential: string) => void} use
 */
export const popupButton = (use) =>
  button({ ux_mode: "popup", callback: (/** @type {{ credential: string }} */ { credential }) => use(credential) }, "signin_with");

/**
 * Shows the button that leaves the page for Google's, which posts the credential to the service. That post comes from
 * another site, so the browser leaves the session's cookie out and the service cannot end the session that it replaces.
 * Hence the button is not for whoever is signed in. Somebody may sign in on another tab meanwhile, so the page looks
 * again whenever it comes to the front.
 */
export async function redirectButton() {
  if (!(await config()).google) return;
  const mode = { ux_mode: "redirect", login_uri: `${location.origin}/app/auth/google-callback.php` };
  let drawn = false;
  const offer = async () => {
    const session = await account.session();
    // No answer is no reason to believe that nobody is signed in.
    const signedOut = !session.ok && session.reason === "unauthenticated";
    if (signedOut) drawn ||= await button(mode, "signup_with");
    element("google-section", HTMLElement).hidden = !signedOut || !drawn;
  };
  // One after the other: the answer to an earlier question must not undo that to a later one.
  let offered = offer();
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") offered = offered.then(offer);
  });
  await offered;
}

/**
 * Draws a button; false where there is none to be had.
 * @param {object} mode
 * @param {string} text
 */
async function button(mode, text) {
  const { google } = await config();
  if (!google || !(await load(google.script))) return false;
  const { id } = /** @type {any} */ (globalThis).google.accounts;
  id.initialize({ client_id: google.clientId, ...mode });
  element("google-section", HTMLElement).hidden = false;
  id.renderButton(element("google", HTMLElement), { type: "standard", text, locale: "es", size: "large", width: 280 });
  return true;
}
