// The login with a passkey: `index.js` loads this module when it is called.

import { done, failure, refusedAs } from "./failures.js";
import { deadline, stopped } from "./request.js";

/** @import { Functions, Internals } from "./internals.js" */
/** @import { Failure, Result } from "./types.js" */

/** Milliseconds after which a login gets a new challenge. The service's challenges end after five minutes. */
const FRESH = 4 * 60_000;

/**
 * The code of each error of the browser. All others mean that the person or the device has ended the ceremony, or that the
 * browser cannot read the options.
 */
const ERRORS = /** @type {Record<string, "passkey-exists" | "passkeys-unsupported" | "misconfigured">} */ ({
  InvalidStateError: "passkey-exists", NotSupportedError: "passkeys-unsupported", ConstraintError: "passkeys-unsupported", SecurityError: "misconfigured",
});

/**
 * Options for a ceremony that are asked for before they are needed, because Safari wants the ceremony right after a press. They
 * are good until a credential for them is sent.
 * @typedef {{ account?: number, since: number, answer: Promise<Result<{ answer: any }>> }} Ready
 */

/** The options of each client, whose own `call` is the key. */
const LOGIN = /** @type {Store} */ (new WeakMap());

/** @typedef {WeakMap<Internals["call"], Ready>} Store */

/**
 * Gives the options that are ready for this account, or asks for others.
 * @param {Store} store @param {Internals["call"]} call @param {() => Ready["answer"]} ask @param {{ account?: number, fresh?: boolean }} [wanted]
 */
export async function optionsFor(store, call, ask, { account, fresh } = {}) {
  const kept = store.get(call);
  if (kept && !fresh && kept.account === account && performance.now() - kept.since < FRESH) {
    const result = await kept.answer;
    // It may have been asked for by a call that was cancelled.
    if (result.ok) return result;
  }
  const ready = { account, since: performance.now(), answer: ask().then(optionsFailure) };
  store.set(call, ready);
  const result = await ready.answer;
  if (!result.ok && store.get(call) === ready) store.delete(call);
  return result;
}

/** @param {Pick<Internals, "call" | "opened" | "parts">} internals @returns {Pick<Functions, "passkeyLogin" | "preparePasskeyLogin">} */
export const passkeys = ({ call, opened, parts }) => {
  /** @param {AbortSignal | undefined} signal @param {boolean} [fresh] */
  const options = (signal, fresh) => optionsFor(LOGIN, call, () => call("/app/auth/passkeyLoginOptions.php", { signal }, "publicKey"), { fresh });
  return {
    async preparePasskeyLogin({ signal } = {}) {
      if (!supported()) return failure("passkeys-unsupported");
      return done(await options(signal));
    },

    async passkeyLogin({ autofill = false, signal } = {}) {
      if (signal?.aborted) return stopped(signal);
      if (!supported() || (autofill && !(await PublicKeyCredential.isConditionalMediationAvailable?.()))) return failure("passkeys-unsupported");
      for (;;) {
        const started = await options(signal, autofill);
        if (!started.ok) return started;
        const wait = deadline(autofill ? FRESH : 0, signal);
        const got = await ceremony(parts, signal, () => navigator.credentials.get({
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(started.answer.publicKey),
          mediation: autofill ? "conditional" : "optional",
          signal: wait.signal,
        }));
        wait.clear();
        if (got.ok) {
          LOGIN.delete(call);
          const { credential } = got;
          const result = await opened("/app/auth/passkeyLogin.php", json({ credential }), signal);
          parts.answered?.(result, started.answer.publicKey.rpId, credential.id);
          return result;
        }
        if (signal?.aborted || !wait.ended()) return got;
        await shown();
      }
    },
  };
};

export const supported = () => typeof globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON === "function";

/** @param {Internals["parts"]} parts @param {AbortSignal | undefined} signal @param {() => Promise<Credential | null>} ask @returns {Promise<Result<{ credential: any }>>} */
export async function ceremony(parts, signal, ask) {
  try {
    const credential = /** @type {PublicKeyCredential} */ (await ask());
    return { ok: true, credential: await plain(parts, credential) };
  } catch (cause) {
    if (signal?.aborted) return stopped(signal, cause);
    const name = /** @type {any} */ (cause)?.name;
    return failure(ERRORS[name] ?? "passkey-cancelled", { cause });
  }
}

/** The answer of the device as JSON. That of a password manager may have no `toJSON`, or one that fails or changes nothing. @param {Internals["parts"]} parts @param {PublicKeyCredential} credential */
async function plain(parts, credential) {
  try {
    const made = credential.toJSON();
    if (made && typeof made.response?.clientDataJSON !== "object") return made;
  } catch {}
  return (await parts.credentials()).byHand(credential);
}

/**
 * The failure of a request for options. The service refuses it as `invalid-request` if the host of the front end is an
 * IP address, because browsers support no passkeys there.
 * @template T @param {Result<T>} result @returns {Result<T>}
 */
const optionsFailure = (result) => refusedAs(result, "passkeys-unsupported");

/** Waits until the page is looked at. */
const shown = () => new Promise((resolve) => {
  if (document.visibilityState === "visible") return resolve(undefined);
  document.addEventListener("visibilitychange", resolve, { once: true });
});

/** A body whose type the browser sends along. @param {object} value */
export const json = (value) => new Blob([JSON.stringify(value)], { type: "application/json" });
