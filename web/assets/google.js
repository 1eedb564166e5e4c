// Shows Google's button if Google's script can be loaded. Otherwise the page works without the button and does not mention Google.
// Pages load this module only if a client id is configured.

import { account, element } from "./site.js";
import { load } from "./script.js";

/** @typedef {NonNullable<import("./types.js").Config["google"]>} Google */

/** The largest width of Google's button, in pixels. */
const WIDEST = 400;

/**
 * Shows the button that opens Google's window, and calls `use` with the credential from that window.
 * @param {Google} google
 * @param {(credential: string) => void} use
 */
export const popupButton = (google, use) =>
  button(google, { ux_mode: "popup", callback: (/** @type {{ credential: string }} */ { credential }) => use(credential) }, "signin_with");

/**
 * Shows the button that leads to Google's page, which posts the credential to the service. That request carries no session
 * cookie, so the service could not end the session that it replaces. Therefore signed-in users do not see this button, also
 * if they sign in on another tab.
 * @param {Google} google
 */
export async function redirectButton(google) {
  const mode = { ux_mode: "redirect", login_uri: `${location.origin}/app/auth/google-callback.php` };
  let drawn = false;
  const offer = async () => {
    const session = await account.session();
    // A failed call does not mean that nobody is signed in.
    const signedOut = !session.ok && session.code === "no-session";
    if (signedOut) drawn ||= await button(google, mode, "signup_with");
    element("google-section", HTMLElement).hidden = !signedOut || !drawn;
  };
  account.onSessionChange(() => { offered = offered.then(offer); });
  // The checks run one after the other, so that an older result never overwrites a newer one.
  let offered = offer();
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") offered = offered.then(offer);
  });
  await offered;
}

/**
 * Draws the button. Returns false if Google's script cannot be loaded.
 * @param {Google} google
 * @param {object} mode
 * @param {string} text
 */
async function button({ script, clientId }, mode, text) {
  if (!(await load(script))) return false;
  const { id } = /** @type {any} */ (globalThis).google.accounts;
  id.initialize({ client_id: clientId, ...mode });
  element("google-section", HTMLElement).hidden = false;
  const place = element("google", HTMLElement);
  id.renderButton(place, { type: "standard", text, locale: "es", size: "large", width: Math.min(place.clientWidth, WIDEST) });
  return true;
}
