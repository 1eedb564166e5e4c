// Functions that few pages need, or only after a click: `index.js` loads them when one is called.

import { failure } from "./failures.js";
import { form } from "./request.js";

/** @import { Internals, MoreFunctions, AnsweredPasskey } from "./internals.js" */
/** @import { Passkey } from "./types.js" */

const JSON_BODY = { "Content-Type": "application/json" };

/** @param {Internals} internals @returns {MoreFunctions} */
export const more = ({ shared, call, submit, session, guarded, changing }) => ({
  googleLogin: (credential, { signal } = {}) => shared.exclusive(signal, async () => {
    const result = await call("/app/auth/google-callback-login.php", { body: JSON.stringify({ credential }), headers: JSON_BODY, signal }, "user");
    if (!result.ok) return result;
    shared.announce({ type: "signed-in", account: result.answer.user.id });
    const whole = await session({ signal });
    return whole.ok ? { ok: true, user: whole.user, created: result.answer.status === "inserted" } : whole;
  }),

  async captchaChallenge({ signal } = {}) {
    const result = await call("/app/auth/captcha.php", { signal }, "challenge");
    if (!result.ok) return result.code === "invalid-request" ? failure("misconfigured") : result;
    return { ok: true, challenge: result.answer.challenge };
  },

  passkeys: (options = {}) => guarded(options, async () => {
    const result = await call("/app/auth/passkeys.php", { signal: options.signal }, "passkeys");
    return result.ok ? { ok: true, passkeys: result.answer.passkeys.map(passkey) } : result;
  }),

  async removePasskey(id, options = {}) {
    const result = await changing("/app/auth/removePasskey.php", options, { body: new URLSearchParams({ id }) });
    return !result.ok && result.code === "invalid-request" ? failure("unknown-passkey", { field: "id" }) : result;
  },

  async closeSession(id, options = {}) {
    const result = await changing("/app/auth/closeSession.php", options, { body: form({ id }) });
    return !result.ok && result.code === "invalid-request" ? failure("unknown-session", { field: "id" }) : result;
  },

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
  if (name in given && (typeof given[name] !== kind || given[name] === "")) throw new TypeError(`${name} is ${given[name]}: give a ${kind}, or leave it out`);
}

/** @param {AnsweredPasskey} answer @returns {Passkey} */
const passkey = ({ id, name, created_at, last_used_at }) =>
  ({ id, name, createdAt: new Date(created_at), lastUsedAt: last_used_at === null ? undefined : new Date(last_used_at) });
