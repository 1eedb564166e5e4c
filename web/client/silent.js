// The creation of a passkey without a question: `index.js` loads this module when it is called.

import { failure, refusedAs } from "./failures.js";
import { ceremony, json, supported } from "./passkeys.js";
import { form, stopped } from "./request.js";

/** @import { Functions, Internals } from "./internals.js" */

/** @param {Internals} internals @returns {Pick<Functions, "createPasskeySilently">} */
export const silent = ({ call, submit, attempt, shared, parts }) => ({
  async createPasskeySilently(options = {}) {
    const { account, signal } = options;
    if (signal?.aborted) return stopped(signal);
    if (!supported() || !(await capable())) return failure("passkeys-unsupported");
    const body = form({ silent: "on" });
    // Without a recent proof there is no passkey, because nobody is asked for anything.
    const started = refusedAs(await attempt(options, () => call("/app/auth/passkeyRegisterOptions.php", { body, signal }, "publicKey")), "passkeys-unsupported");
    if (!started.ok) return started;
    const { publicKey, origins } = started.answer;
    if (origins && !origins.includes(location.origin)) return failure("passkeys-unsupported");
    const made = await ceremony(parts, signal, () => navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey),
      ...CONDITIONAL,
      signal,
    }));
    if (!made.ok) return made;
    return attempt(options, async () => {
      const result = await submit("/app/auth/passkeyRegister.php", { body: json({ credential: made.credential }), signal });
      if (result.ok) shared.announce({ type: "changed", account });
      return result;
    });
  },
});

/** What TypeScript does not know of a creation yet. */
const CONDITIONAL = { mediation: "conditional" };

/** Whether the browser creates passkeys without a question. */
const capable = async () => (await PublicKeyCredential.getClientCapabilities?.())?.conditionalCreate;
