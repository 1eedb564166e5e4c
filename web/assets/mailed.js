// The token of a mailed link. It is removed from the address bar and kept with the page's place in the tab's history, so that
// a reload keeps working. A link that cannot be right, or that this tab has used, is known without asking the service.

import { keep, kept } from "./storage.js";

const SHAPE = /^[\w-]{22}\.[\w-]{43}$/;
const KEY = "used-link";

/** Returns the token, or an empty string if the link is dead. */
export function mailedToken() {
  const token = new URLSearchParams(location.search).get("token") ?? history.state?.token ?? "";
  const live = SHAPE.test(token) && kept(KEY) !== token;
  history.replaceState(live ? { token } : null, "", location.pathname);
  return live ? token : "";
}

/**
 * Remembers that a token has been used or refused, for the next visit in this tab.
 * @param {string} token
 */
export function spend(token) {
  history.replaceState(null, "");
  keep(KEY, token);
}
