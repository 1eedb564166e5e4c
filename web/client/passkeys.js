// The ceremonies of passkeys, which few pages need: `index.js` loads this module when one of them is called.

import { failure } from "./failures.js";

/** @import { GuardedOptions, Internals, PasskeyLoginOptions, Result, User } from "./types.js" */

/** Milliseconds after which a waiting login gets a new challenge. The service's challenges end after five minutes. */
const FRESH = 4 * 60_000;

/** The code of each error of the browser. All others mean that the person or the device has ended the ceremony. */
const ERRORS = /** @type {Record<string, "passkey-exists" | "passkeys-unsupported" | "misconfigured">} */ ({
  InvalidStateError: "passkey-exists", NotSupportedError: "passkeys-unsupported", ConstraintError: "passkeys-unsupported", SecurityError: "misconfigured",
});

/** @param {Internals} internals */
export const passkeys = ({ call, guarded, changing, opened }) => ({
  /** @param {string} name @param {GuardedOptions} options @returns {Promise<Result>} */
  async create(name, options) {
    const { signal } = options;
    if (signal?.aborted) return failure("aborted");
    if (!supported()) return failure("passkeys-unsupported");
    const started = await guarded(options, () => call("/app/auth/passkeyRegisterOptions.php", { signal }, "publicKey"));
    if (!started.ok) return off(started);
    // The person may take minutes, so other tabs are not kept waiting meanwhile.
    const made = await ceremony(signal, () =>
      navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(started.answer.publicKey), signal }));
    if (!made.ok) return made;
    const result = await changing("/app/auth/passkeyRegister.php", options, { body: json({ credential: made.credential, name }) });
    return !result.ok && result.code === "invalid-request" ? { ...result, field: "name" } : result;
  },

  /** @param {PasskeyLoginOptions} options @returns {Promise<Result<{ user: User }>>} */
  async login({ autofill = false, signal }) {
    if (signal?.aborted) return failure("aborted");
    if (!supported() || (autofill && !(await PublicKeyCredential.isConditionalMediationAvailable?.()))) return failure("passkeys-unsupported");
    for (;;) {
      const started = await call("/app/auth/passkeyLoginOptions.php", { signal }, "publicKey");
      if (!started.ok) return off(started);
      const late = AbortSignal.timeout(FRESH);
      const either = autofill ? AbortSignal.any(signal ? [signal, late] : [late]) : signal;
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(started.answer.publicKey);
      const got = await ceremony(signal, () =>
        navigator.credentials.get({ publicKey, mediation: autofill ? "conditional" : "optional", signal: either }));
      if (got.ok) return opened("/app/auth/passkeyLogin.php", json({ credential: got.credential }), signal);
      if (signal?.aborted || !either?.aborted) return got;
      await shown();
    }
  },
});

const supported = () => typeof globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON === "function";

/**
 * Asks the browser, and gives the answer as the service takes it.
 * @param {AbortSignal | undefined} signal
 * @param {() => Promise<Credential | null>} ask
 * @returns {Promise<Result<{ credential: object }>>}
 */
async function ceremony(signal, ask) {
  try {
    const credential = /** @type {PublicKeyCredential} */ (await ask());
    return { ok: true, credential: credential.toJSON() };
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : "";
    return failure(signal?.aborted ? "aborted" : ERRORS[name] ?? "passkey-cancelled", { cause });
  }
}

/**
 * The service has no passkeys if its front end's host is an IP address. To a page that is as if the browser had none.
 * @template T
 * @param {T & { code: string }} result
 */
const off = (result) => (result.code === "invalid-request" ? failure("passkeys-unsupported") : result);

/** Waits until the page is looked at. */
const shown = () => new Promise((resolve) => {
  if (document.visibilityState === "visible") return resolve(undefined);
  document.addEventListener("visibilitychange", resolve, { once: true });
});

/**
 * A body of JSON, whose type the browser sends along.
 * @param {object} value
 */
const json = (value) => new Blob([JSON.stringify(value)], { type: "application/json" });
