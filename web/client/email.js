// The change of an account's address: `index.js` loads this module when one of its functions is called.

import { form } from "./request.js";

/** @import { EmailFunctions, Internals } from "./internals.js" */

/** @param {Internals} internals @returns {EmailFunctions} */
export const email = ({ submit, guarded, mailed }) => ({
  changeEmail: ({ email }, options = {}) => guarded(options, () => submit("/app/auth/changeEmail.php", { body: form({ email }), signal: options.signal })),

  confirmEmail: ({ token }, options) => mailed("/app/auth/confirmEmail.php", form({ token }), options),
});
