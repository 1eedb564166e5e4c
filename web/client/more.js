// Functions that few pages need: `index.js` loads this module when one of them is called.

import { failure } from "./failures.js";

/** @import { Challenge, Export, GuardedOptions, CallOptions, Internals, Passkey, Result, ToldPasskey } from "./types.js" */

/** @param {Internals} internals */
export const more = ({ call, guarded, changing }) => ({
  /** @param {CallOptions} options @returns {Promise<Result<{ challenge: Challenge }>>} */
  async captchaChallenge({ signal }) {
    const result = await call("/app/auth/captcha.php", { signal }, "challenge");
    if (!result.ok) return result.code === "invalid-request" ? failure("misconfigured") : result;
    return { ok: true, challenge: result.answer.challenge };
  },

  /** @param {GuardedOptions} options @returns {Promise<Result<{ passkeys: Passkey[] }>>} */
  passkeys: (options) => guarded(options, async () => {
    const result = await call("/app/auth/passkeys.php", { signal: options.signal }, "passkeys");
    return result.ok ? { ok: true, passkeys: result.answer.passkeys.map(passkey) } : result;
  }),

  /** @param {string} id @param {GuardedOptions} options @returns {Promise<Result>} */
  async removePasskey(id, options) {
    const result = await changing("/app/auth/removePasskey.php", options, { body: new URLSearchParams({ id }) });
    return !result.ok && result.code === "invalid-request" ? failure("unknown-passkey", { field: "id" }) : result;
  },

  /** @param {GuardedOptions} options @returns {Promise<Result<Export>>} */
  exportAccount: (options) => guarded(options, async () => {
    /** @type {object[]} */
    const entries = [];
    let cursor = "";
    for (;;) {
      const body = new URLSearchParams(cursor ? { cursor } : {});
      const page = await call("/app/auth/exportAccount.php", { body, signal: options.signal }, "entries");
      if (!page.ok) return page;
      const { account, sessions, browsers } = page.answer;
      for (const entry of page.answer.entries) entries.push(entry);
      if (!page.answer.cursor) return { ok: true, account, sessions, browsers, entries };
      cursor = page.answer.cursor;
    }
  }),

  /** @param {object | object[]} entries @param {GuardedOptions & { idempotencyKey?: string }} options @returns {Promise<Result>} */
  async receiveData(entries, { idempotencyKey, ...options }) {
    const headers = { "Content-Type": "application/json", ...(idempotencyKey && { "Idempotency-Key": idempotencyKey }) };
    const body = JSON.stringify(entries);
    /** @returns {Promise<Result>} */
    const send = async () => {
      const result = await call("/receive-data.php", { body, headers, signal: options.signal });
      return result.ok ? { ok: true } : result;
    };
    return options.account === undefined ? send() : guarded(options, send);
  },
});

/** @param {ToldPasskey} told @returns {Passkey} */
const passkey = ({ id, name, created_at, last_used_at }) =>
  ({ id, name, createdAt: new Date(created_at), lastUsedAt: last_used_at === null ? undefined : new Date(last_used_at) });
