// The change of an account's address: `index.js` loads this module when one of its functions is called.

import { form } from "./request.js";

/** @import { EmailFunctions, Internals } from "./internals.js" */

/** @param {Internals} internals @returns {EmailFunctions} */
export const email = ({ shared, submit, guarded }) => ({
  changeEmail: ({ email }, options = {}) => guarded(options, () => submit("/app/auth/changeEmail.php", { body: form({ email }), signal: options.signal })),

  async confirmEmail({ token }, { signal } = {}) {
    const result = await submit("/app/auth/confirmEmail.php", { body: form({ token }), signal });
    // The answer does not say whose address it is.
    if (result.ok) shared.announce({ type: "changed" });
    return result;
  },
});
