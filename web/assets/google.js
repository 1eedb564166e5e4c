// Shows Google's button if a client id is configured and Google's script can be loaded. Otherwise the page works without
// the button and does not mention Google.

import { account, config, element } from "./site.js";
import { load } from "./script.js";

/**
 * Shows the button that opens Google's window, and calls `use` with the credential from that window.
 * @param {(credential: string) => void} use
 */
export const popupButton = (use) =>
  button({ ux_mode: "popup", callback: (/** @type {{ credential: string }} */ { credential }) => use(credential) }, "signin_with");

/**
 * Shows the button that leads to Google's page, which posts the credential to the service. That request comes from
 * another site, so the browser sends no session cookie and the service cannot end the session that the new one replaces.
 * Therefore signed-in users do not see this button. A user may sign in on another tab in the meantime, so the page checks
 * the session again whenever it comes to the front.
 */
export async function redirectButton() {
  if (!(await config()).google) return;
  const mode = { ux_mode: "redirect", login_uri: `${location.origin}/app/auth/google-callback.php` };
  let drawn = false;
  const offer = async () => {
    const session = await account.session();
    // A failed call does not mean that nobody is signed in.
    const signedOut = !session.ok && session.reason === "unauthenticated";
    if (signedOut) drawn ||= await button(mode, "signup_with");
    element("google-section", HTMLElement).hidden = !signedOut || !drawn;
  };
  // The checks run one after the other, so that an older result never overwrites a newer one.
  let offered = offer();
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") offered = offered.then(offer);
  });
  await offered;
}

/**
 * Draws the button. Returns false if Google is not configured or its script cannot be loaded.
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
