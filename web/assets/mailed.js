// The token of a mailed link. It is removed from the address bar and kept with the page's place in the tab's history, so that
// a reload keeps working. The page recognises a link that is of no use any more without asking the service, as far as
// this browser has the facts.

import { BROWSER, keep, kept } from "./storage.js";

// `<account's key>.<secret>`. The first five bytes of the secret are the time of its expiry, in seconds since 1970.
const SHAPE = /^([\w-]{22})\.([\w-]{7})[\w-]{43}$/;
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/**
 * The storage keys of the last token that was used or refused, and of the facts about the newest link that was opened:
 * its page, the key of its account and its expiry.
 */
const [USED, NEWEST] = ["used-link", "newest-link"];

/** @typedef {"broken" | "used" | "replaced" | "expired"} Fault */

/**
 * Returns the token, and why it is of no use. `replaced` and `expired` can be wrong, because the newer link may be forged or
 * the device's clock wrong. So the user may try the link nevertheless.
 * @returns {{ token: string, fault?: Fault }}
 */
export function mailedLink() {
  const asked = new URLSearchParams(location.search);
  const token = asked.get("token") ?? history.state?.token ?? "";
  const fault = faultOf(token);
  const dead = fault === "broken" || fault === "used";
  history.replaceState(dead ? null : { token }, "", location.pathname);
  return { token, fault };
}

/** @param {string} token @returns {Fault | undefined} */
function faultOf(token) {
  const [, account, time] = SHAPE.exec(token) ?? [];
  if (!account) return "broken";
  if (kept(USED, BROWSER) === token) return "used";
  // Seven digits of six bits are two bits more than the time.
  const expires = Math.floor([...time].reduce((sum, digit) => sum * 64 + DIGITS.indexOf(digit), 0) / 4);
  const [page, owner, newest] = (kept(NEWEST, BROWSER) ?? "").split(" ");
  if (page === location.pathname && owner === account && Number(newest) > expires) return "replaced";
  keep(NEWEST, `${location.pathname} ${account} ${expires}`, BROWSER);
  return expires * 1000 <= Date.now() ? "expired" : undefined;
}

/** Remembers that a token has been used or refused. @param {string} token */
export function spend(token) {
  history.replaceState(null, "");
  keep(USED, token, BROWSER);
}
