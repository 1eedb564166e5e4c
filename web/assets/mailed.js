// The token of a mailed link. It is removed from the address bar and kept with the page's place in the tab's history, so that
// a reload keeps working. A link that is of no use any more is known without asking the service, as far as this browser can know it.

import { BROWSER, keep, kept } from "./storage.js";

const SHAPE = /^([\w-]{22})\.[\w-]{43}$/;
/** The keys of the last token that was used or refused, and of the newest link that was opened: its account's key and its expiry. */
const [USED, NEWEST] = ["used-link", "newest-link"];

/** @typedef {"broken" | "used" | "replaced" | "expired"} Fault */

/**
 * Returns the token, and why it is of no use. `replaced` and `expired` can be wrong: anybody can write the time in a link, and the
 * device's clock may be wrong. So the user may try the link nevertheless.
 * @returns {{ token: string, fault?: Fault }}
 */
export function mailedLink() {
  const asked = new URLSearchParams(location.search);
  const given = asked.has("token") ? { token: asked.get("token"), expires: Number(asked.get("caduca")) } : history.state;
  const { token = "", expires = 0 } = given ?? {};
  const fault = faultOf(token, expires);
  const dead = fault === "broken" || fault === "used";
  history.replaceState(dead ? null : { token, expires }, "", location.pathname);
  return { token, fault };
}

/**
 * @param {string} token
 * @param {number} expires  In seconds since 1970; 0 if the link does not tell.
 * @returns {Fault | undefined}
 */
function faultOf(token, expires) {
  const account = SHAPE.exec(token)?.[1];
  if (!account) return "broken";
  if (kept(USED, BROWSER) === token) return "used";
  if (!expires) return undefined;
  const [owner, newest] = (kept(NEWEST, BROWSER) ?? "").split(" ");
  if (owner === account && Number(newest) > expires) return "replaced";
  keep(NEWEST, `${account} ${expires}`, BROWSER);
  return expires * 1000 <= Date.now() ? "expired" : undefined;
}

/**
 * Remembers that a token has been used or refused.
 * @param {string} token
 */
export function spend(token) {
  history.replaceState(null, "");
  keep(USED, token, BROWSER);
}
