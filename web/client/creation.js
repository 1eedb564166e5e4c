// The creation of a passkey: `index.js` loads this module when it is called or prepared.

import { done, failure, refusedAs } from "./failures.js";
import { ceremony, json, optionsFor, supported } from "./passkeys.js";
import { deadline, stopped } from "./request.js";
import { NAME } from "./settings.js";

/** @import { Functions, Internals } from "./internals.js" */
/** @import { Failure, GuardedOptions } from "./types.js" */
/** @import { Store } from "./passkeys.js" */

/** The options that are ready, of each client. */
const CREATION = /** @type {Store} */ (new WeakMap());

/** @param {Internals} internals @returns {Pick<Functions, "createPasskey" | "preparePasskey">} */
export const creation = ({ shared, call, attempt, guarded, changing, parts }) => {
  /** @param {Internals["guarded"]} guard @param {GuardedOptions} options */
  const optionsOf = (guard, options) => {
    const { account, signal } = options;
    return optionsFor(CREATION, call, () => guard(options, () => call("/app/auth/passkeyRegisterOptions.php", { signal }, "publicKey")), { account });
  };
  /** Ends the forgetting of options when the session changes. @type {(() => void) | undefined} */
  let listening;
  return {
    async preparePasskey(options = {}) {
      if (!supported()) return failure("passkeys-unsupported");
      // The service gave them to one session.
      listening ??= shared.listen(({ type }) => { if (type !== "changed") CREATION.delete(call); });
      // Nobody is asked for a proof before the press.
      return done(await optionsOf(attempt, options));
    },

    async createPasskey(name, options = {}) {
      const { signal } = options;
      if (signal?.aborted) return stopped(signal);
      if (!supported()) return failure("passkeys-unsupported");
      // A passkey that the service refuses would stay on the device.
      if (!NAME.test(String(name ?? "").trim())) return failure("invalid-request", { field: "name" });
      const prepared = CREATION.has(call);
      const started = await optionsOf(guarded, options);
      if (!started.ok) return started;
      const { publicKey, origins } = started.answer;
      if (origins && !origins.includes(location.origin)) return failure("passkeys-unsupported");
      const wait = deadline(0, signal);
      /** @type {Failure | undefined} */
      let lost;
      /** Ends the ceremony if the session has ended or changed since the preparation. */
      const check = async () => {
        const now = await attempt(options, async () => ({ ok: true }));
        if (now.ok || (now.code !== "no-session" && now.code !== "session-changed")) return;
        lost = now;
        wait.abort();
      };
      // The person may take minutes, so other tabs are not kept waiting meanwhile.
      const made = await ceremony(parts, signal, () => {
        const asked = navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey), signal: wait.signal });
        if (prepared) check();
        return asked;
      });
      wait.clear();
      if (lost) return lost;
      if (!made.ok) return made;
      CREATION.delete(call);
      const result = await changing("/app/auth/passkeyRegister.php", options, { body: json({ credential: made.credential, name }) });
      return refusedAs(result, "invalid-request", { field: "name" });
    },
  };
};
