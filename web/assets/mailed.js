// The token of a mailed link. Only the page's memory has it: it is removed from the address bar and stored nowhere, so
// whoever reloads the page opens the link again. The page recognises a link that is of no use any more without asking the
// service, as far as this browser has the facts.

import { BROWSER, keep, kept } from "./storage.js";

// `<account's key>.<secret>`. The first five bytes of the secret are the time of its expiry, in seconds since 1970.
const SHAPE = /^[\w-]{22}\.([\w-]{7})[\w-]{43}$/;
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** The storage keys of the last link that was used or refused, and of the last one with which this page has done its work. */
const [USED, DONE] = ["used-link", `done-link ${location.pathname}`];

/** Recognises a link. The rest of its token is missing, and so is the account's key, which is a hash of the address. @param {string} token */
const trace = (token) => token.slice(-16);

/** @typedef {"broken" | "forgotten" | "used" | "expired"} Fault */

/** What all pages tell of a link: a heading, and a message. */
export const BROKEN = /** @type {const} */ (["Este enlace no sirve", "No está completo. Ábrelo otra vez desde el correo."]);
export const FORGOTTEN = /** @type {const} */ (["Abre otra vez el enlace", "Está en tu correo. Por seguridad, esta página no lo guarda."]);
export const OVER = "Este enlace ya no sirve";

/**
 * Returns the token, and why it is of no use. `expired` can be wrong, because the device's clock may be, so the user may try the
 * link nevertheless. A link is `done` if it has done its work in this browser.
 * @returns {{ token: string, fault?: Fault, done: boolean }}
 */
export function mailedLink() {
  const token = new URLSearchParams(location.search).get("token");
  /** What has become of the link that was opened at this place of the tab's history. @type {{ spent: boolean, done: boolean } | undefined} */
  const before = history.state?.link;
  if (token === null && before) return { token: "", fault: before.spent ? "used" : "forgotten", done: before.done };
  const fault = faultOf(token ?? "");
  const done = fault === "used" && isDone(token ?? "");
  history.replaceState(fault === "broken" ? null : { link: { spent: fault === "used", done } }, "", location.pathname);
  return { token: token ?? "", fault, done };
}

/** @param {string} token @returns {Fault | undefined} */
function faultOf(token) {
  const [, time] = SHAPE.exec(token) ?? [];
  if (!time) return "broken";
  if (isDone(token) || kept(USED, BROWSER) === trace(token)) return "used";
  // Seven digits of six bits are two bits more than the time.
  const expires = Math.floor([...time].reduce((sum, digit) => sum * 64 + DIGITS.indexOf(digit), 0) / 4);
  return expires * 1000 <= Date.now() ? "expired" : undefined;
}

/** Remembers that a token has been used or refused. @param {string} token @param {boolean} [done]  Whether it has done its work. */
export function spend(token, done = false) {
  history.replaceState({ link: { spent: true, done } }, "");
  keep(done ? DONE : USED, trace(token), BROWSER);
}

/** Whether a token has done its work on this page, perhaps in another tab. @param {string} token */
export const isDone = (token) => kept(DONE, BROWSER) === trace(token);
