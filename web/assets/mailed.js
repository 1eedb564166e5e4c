// The token of a mailed link. It is removed from the address bar and kept with the page's place in the tab's history, so that
// a reload keeps working. The page recognises a link that is of no use any more without asking the service, as far as
// this browser has the facts.

import { element, notify } from "./site.js";
import { BROWSER, keep, kept } from "./storage.js";

// `<account's key>.<secret>`. The first five bytes of the secret are the time of its expiry, in seconds since 1970.
const SHAPE = /^([\w-]{22})\.([\w-]{7})[\w-]{43}$/;
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/**
 * The storage keys of the last token that was used or refused, and of the facts about the newest link that was opened:
 * its page, the key of its account and its expiry.
 */
const [USED, NEWEST] = ["used-link", "newest-link"];
/** The storage key of the last token with which this page has done its work. */
const DONE = `done-link ${location.pathname}`;

/** @typedef {"broken" | "used" | "replaced" | "expired"} Fault */

/**
 * Returns the token, and why it is of no use. `replaced` and `expired` can be wrong, because the newer link may be forged or
 * the device's clock wrong. So the user may try the link nevertheless. A link is `done` if it has done its work in this browser.
 * @returns {{ token: string, fault?: Fault, done: boolean }}
 */
export function mailedLink() {
  const asked = new URLSearchParams(location.search);
  const token = asked.get("token") ?? history.state?.token ?? "";
  const done = token ? isDone(token) : history.state?.done === true;
  const fault = done || (!token && history.state?.spent) ? "used" : faultOf(token);
  const next = fault === "used" ? { spent: true, done } : { token };
  history.replaceState(fault === "broken" ? null : next, "", location.pathname);
  return { token, fault, done };
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

/** Remembers that a token has been used or refused. @param {string} token @param {boolean} [done]  Whether it has done its work. */
export function spend(token, done = false) {
  history.replaceState({ spent: true, done }, "");
  keep(USED, token, BROWSER);
  if (done) keep(DONE, token, BROWSER);
}

/** Whether a token has done its work on this page, perhaps in another tab. @param {string} token */
export const isDone = (token) => kept(DONE, BROWSER) === token;

/**
 * Replaces the question of a page by what has become of it.
 * @param {string} heading
 * @param {string} message
 * @param {"good" | "bad"} tone
 * @param {string} part  What is shown below.
 */
export function outcome(heading, message, tone, part) {
  element("heading").textContent = heading;
  notify(message, tone);
  element("content").hidden = true;
  element(part).hidden = false;
  element("heading").focus();
}
