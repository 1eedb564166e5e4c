// The login with a passkey: `index.js` loads this module when it is called.

import { failure } from "./failures.js";

/** @import { AccountClient, Internals, Result } from "./types.js" */

/** Milliseconds after which a waiting login gets a new challenge. The service's challenges end after five minutes. */
const FRESH = 4 * 60_000;

/**
 * The code of each error of the browser. All others mean that the person or the device has ended the ceremony, or that the
 * browser cannot read the options.
 */
const ERRORS = /** @type {Record<string, "passkey-exists" | "passkeys-unsupported" | "misconfigured">} */ ({
  InvalidStateError: "passkey-exists", NotSupportedError: "passkeys-unsupported", ConstraintError: "passkeys-unsupported", SecurityError: "misconfigured",
});

/** @param {Internals} internals @returns {Pick<AccountClient, "passkeyLogin">} */
export const passkeys = ({ call, opened }) => ({
  async passkeyLogin({ autofill = false, signal } = {}) {
    if (signal?.aborted) return failure("aborted");
    if (!supported() || (autofill && !(await PublicKeyCredential.isConditionalMediationAvailable?.()))) return failure("passkeys-unsupported");
    for (;;) {
      const started = await call("/app/auth/passkeyLoginOptions.php", { signal }, "publicKey");
      if (!started.ok) return optionsFailure(started);
      const late = AbortSignal.timeout(FRESH);
      const either = autofill ? AbortSignal.any(signal ? [signal, late] : [late]) : signal;
      const got = await ceremony(signal, () => navigator.credentials.get({
        publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(started.answer.publicKey),
        mediation: autofill ? "conditional" : "optional",
        signal: either,
      }));
      if (got.ok) return opened("/app/auth/passkeyLogin.php", json({ credential: got.credential }), signal);
      if (signal?.aborted || !either?.aborted) return got;
      await shown();
    }
  },
});

export const supported = () => typeof globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON === "function";

/** @param {AbortSignal | undefined} signal @param {() => Promise<Credential | null>} ask @returns {Promise<Result<{ credential: object }>>} */
export async function ceremony(signal, ask) {
  try {
    const credential = /** @type {PublicKeyCredential} */ (await ask());
    return { ok: true, credential: credential.toJSON() };
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : "";
    return failure(signal?.aborted ? "aborted" : ERRORS[name] ?? "passkey-cancelled", { cause });
  }
}

/**
 * The failure of a request for options. The service refuses it as `invalid-request` if the host of the front end is an
 * IP address, because browsers support no passkeys there.
 * @template T @param {T & { code: string }} result
 */
export const optionsFailure = (result) => (result.code === "invalid-request" ? failure("passkeys-unsupported") : result);

/** Waits until the page is looked at. */
const shown = () => new Promise((resolve) => {
  if (document.visibilityState === "visible") return resolve(undefined);
  document.addEventListener("visibilitychange", resolve, { once: true });
});

/** A body whose type the browser sends along. @param {object} value */
export const json = (value) => new Blob([JSON.stringify(value)], { type: "application/json" });
