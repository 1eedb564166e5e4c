// The creation of a passkey: `index.js` loads this module when it is called.

import { failure } from "./failures.js";
import { ceremony, json, optionsFailure, supported } from "./passkeys.js";

/** @import { AccountClient, Internals } from "./types.js" */

/** @param {Internals} internals @returns {Pick<AccountClient, "createPasskey">} */
export const creation = ({ call, guarded, changing }) => ({
  async createPasskey(name, options = {}) {
    const { signal } = options;
    if (signal?.aborted) return failure("aborted");
    if (!supported()) return failure("passkeys-unsupported");
    const started = await guarded(options, () => call("/app/auth/passkeyRegisterOptions.php", { signal }, "publicKey"));
    if (!started.ok) return optionsFailure(started);
    // The person may take minutes, so other tabs are not kept waiting meanwhile.
    const made = await ceremony(signal, () =>
      navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(started.answer.publicKey), signal }));
    if (!made.ok) return made;
    const result = await changing("/app/auth/passkeyRegister.php", options, { body: json({ credential: made.credential, name }) });
    return !result.ok && result.code === "invalid-request" ? { ...result, field: "name" } : result;
  },
});
