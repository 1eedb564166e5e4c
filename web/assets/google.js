// Google's button. Without Google's script the page works and does not mention Google. Pages load this module only if a client id is configured.

import { element } from "./site.js";
import { load } from "./script.js";

/** The largest width of Google's button, in pixels. */
const WIDEST = 400;

/**
 * Draws the button in its room. Returns false if Google's script cannot be loaded, or if a content blocker has emptied it.
 * @param {import("./types.js").Google} google
 * @param {object} mode
 * @param {string} text
 * @param {() => void} [pressed]
 */
export async function button({ script, clientId }, mode, text, pressed) {
  const api = () => /** @type {any} */ (globalThis).google?.accounts?.id;
  if (!api()) await load(script);
  const id = api();
  if (!id) return false;
  id.initialize({ client_id: clientId, ...mode });
  const place = element("google");
  id.renderButton(place, { type: "standard", text, locale: "es", size: "large", width: Math.min(place.clientWidth, WIDEST), click_listener: pressed });
  element("google-section").classList.remove("room");
  return true;
}
