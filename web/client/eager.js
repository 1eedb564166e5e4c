// The same client with all of its modules at once, for bundlers and test runners. It loads nothing later.

// In this order a bundle compresses best: it has like texts side by side.
import { reason } from "./refusals.js";
import { MESSAGES, failure } from "./failures.js";
import { byHand } from "./credentials.js";
import { isHidden } from "./diagnosis.js";
import { email } from "./email.js";
import { entry } from "./entry.js";
import { client } from "./client.js";
import { passkeys } from "./passkeys.js";
import { creation } from "./creation.js";
import { presence } from "./presence.js";
import { writes } from "./writes.js";
import { settings } from "./settings.js";
import { more } from "./more.js";

export { MESSAGES };

/** @import { Internals, Parts } from "./internals.js" */
/** @import { AccountClient, ClientOptions } from "./types.js" */

/** @type {Parts} */
const PARTS = {
  credentials: async () => ({ byHand }),
  diagnosis: async () => ({ isHidden }),
  refusals: async () => ({ reason }),
  functions(base) {
    const internals = { ...base, ...writes(base) };
    const made = [creation, email, entry, more, passkeys, presence, settings].map((functions) => functions(internals));
    return Object.assign({ createPasskeySilently: async () => failure("passkeys-unsupported") }, ...made);
  },
};

/** Creates a client. Throws a TypeError for a `baseUrl` that is no address. @param {ClientOptions} [options] @returns {AccountClient} */
export const createAccountClient = (options = {}) => /** @type {AccountClient} */ (client(options, PARTS));
