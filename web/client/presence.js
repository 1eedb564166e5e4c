// The proof that the person who has signed in is still there: `index.js` loads this module when the service wants one, and when
// `confirm` is called.

import { json, passkeys } from "./passkeys.js";
import { deadline, form, stopped } from "./request.js";

/** @import { Internals, Presence } from "./internals.js" */

/** @param {Internals} internals @returns {Presence} */
export const presence = ({ call, submit, attempt, parts, onConfirm = async () => false }) => ({
  async confirm({ password, credential, passkey }, options = {}) {
    const { signal } = options;
    /** @param {BodyInit} body */
    const send = (body) => attempt(options, () => submit("/app/auth/confirm.php", { body, signal }));
    if (passkey) {
      // As a login with it, but its answer goes to another endpoint.
      const opened = /** @type {any} */ ((/** @type {string} */ _, /** @type {BodyInit} */ body) => send(body));
      return passkeys({ call, opened, parts }).passkeyLogin({ signal });
    }
    if (credential !== undefined) return send(json({ credential }));
    const result = await send(form({ password }));
    return !result.ok && (result.code === "not-confirmed" || result.code === "invalid-request") ? { ...result, field: "password" } : result;
  },

  again: repeating(attempt, onConfirm),
});

/** @param {Internals["attempt"]} attempt @param {NonNullable<Internals["onConfirm"]>} onConfirm @returns {Presence["again"]} */
function repeating(attempt, onConfirm) {
  /** The question that is open, which all refused calls share. @type {Promise<boolean> | undefined} */
  let question;
  /** The time of the last proof. */
  let proved = -1;

  /** @param {{ account?: number }} asked */
  const ask = async (asked) => {
    try {
      if (!(await onConfirm(asked))) return false;
      proved = performance.now();
      return true;
    } catch (error) {
      // As with a listener: the mistake is reported, and the call ends with its refusal.
      setTimeout(() => { throw error; });
      return false;
    }
  };

  return async (call, sent, refused) => {
    const [{ account, signal }] = call;
    if (signal?.aborted) return stopped(signal);
    // If there has been a proof since the call was sent, nobody is asked again.
    if (proved < sent) {
      question ??= ask(account === undefined ? {} : { account }).finally(() => { question = undefined; });
      const wait = deadline(0, signal);
      const aborted = new Promise((resolve) => wait.signal.addEventListener("abort", () => resolve(false)));
      if (!(await Promise.race([question, aborted]).finally(wait.clear))) return signal?.aborted ? stopped(signal) : refused;
    }
    return attempt(...call);
  };
}
