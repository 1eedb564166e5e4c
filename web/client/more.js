// Functions that few pages need, or only after a click: `index.js` loads them when one is called.

import { refusedAs } from "./failures.js";
import { form } from "./request.js";

/** @import { Internals, MoreFunctions } from "./internals.js" */

const JSON_BODY = { "Content-Type": "application/json" };

/** @param {Internals} internals @returns {MoreFunctions} */
export const more = ({ shared, call, submit, session, guarded, changing }) => ({
  googleLogin: (credential, { signal } = {}) => shared.locked(signal, async () => {
    const result = await call("/app/auth/google-callback-login.php", { body: JSON.stringify({ credential }), headers: JSON_BODY, signal }, "user");
    if (!result.ok) return result;
    shared.announce({ type: "signed-in", account: result.answer.user.id });
    const whole = await session({ signal });
    return whole.ok ? { ok: true, user: whole.user, created: result.answer.status === "inserted" } : whole;
  }),

  async captchaChallenge({ signal } = {}) {
    const result = refusedAs(await call("/app/auth/captcha.php", { signal }, "challenge"), "misconfigured");
    return result.ok ? { ok: true, challenge: result.answer.challenge } : result;
  },

  removePasskey: async (id, options = {}) =>
    refusedAs(await changing("/app/auth/removePasskey.php", options, { body: form({ id }) }), "unknown-passkey", { field: "id" }),

  unlinkGoogle: async (options = {}) => refusedAs(await changing("/app/auth/unlinkGoogle.php", options), "not-linked"),

  closeSession: async (id, options = {}) =>
    refusedAs(await changing("/app/auth/closeSession.php", options, { body: form({ id }) }), "unknown-session", { field: "id" }),

  closeOtherSessions: (options = {}) => changing("/app/auth/closeSession.php", options, { body: form({ others: "on" }) }),

  sendVerification: (options = {}) => guarded(options, async () => {
    const result = await call("/app/auth/sendVerification.php", { signal: options.signal });
    return result.ok ? { ok: true, alreadyVerified: result.answer.message === "El email ya está verificado" } : result;
  }),

  sendResetLink: (email, { signal } = {}) => submit("/app/auth/sendResetLink.php", { body: form({ email }), signal }),

  async receiveData(entries, options = {}) {
    const { idempotencyKey } = options;
    meant("idempotencyKey", options, "string");
    const headers = { ...JSON_BODY, ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }) };
    const body = JSON.stringify(entries);
    const send = () => submit("/receive-data.php", { body, headers, signal: options.signal });
    return "account" in options ? guarded(options, send) : send();
  },
});

/**
 * Throws if a value that protects somebody is there but says nothing.
 * @param {string} name @param {Record<string, any>} given @param {"boolean" | "string"} kind
 */
export function meant(name, given, kind) {
  if (name in given && (typeof given[name] !== kind || given[name] === "")) throw new TypeError(`${name} is ${given[name]}: give a ${kind}`);
}
