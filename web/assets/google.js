// Google's button, where a client id is configured and Google's script can be loaded. Without either the page works, and
// does not mention it.

import { config, element } from "./site.js";
import { load } from "./script.js";

/**
 * Shows the button that opens a window, and hands over the credential that comes from it.
 * @param {(credential: string) => void} use
 */
export const popupButton = (use) =>
  button({ ux_mode: "popup", callback: (/** @type {{ credential: string }} */ { credential }) => use(credential) }, "signin_with");

/** Shows the button that leaves the page for Google's, which posts the credential to the service. */
export const redirectButton = () =>
  button({ ux_mode: "redirect", login_uri: `${location.origin}/app/auth/google-callback.php` }, "signup_with");

/**
 * @param {object} mode
 * @param {string} text
 */
async function button(mode, text) {
  const { google } = await config();
  if (!google || !(await load(google.script))) return;
  const { id } = /** @type {any} */ (globalThis).google.accounts;
  id.initialize({ client_id: google.clientId, ...mode });
  element("google-section", HTMLElement).hidden = false;
  id.renderButton(element("google", HTMLElement), { type: "standard", text, locale: "es", size: "large", width: 280 });
}
