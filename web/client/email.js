// The change of an account's address, and what the links in mails do: `index.js` loads this module when one of its functions is called.

import { meant } from "./more.js";
import { form } from "./request.js";

/** @import { EmailFunctions, Internals } from "./internals.js" */
/** @import { CallOptions } from "./types.js" */

/** @param {Internals} internals @returns {EmailFunctions} */
export const email = ({ shared, call, submit, session, guarded }) => {
  /**
   * Makes a call with the token of a link. It changes an account that the answer does not name, and may end its sessions. The result has
   * what else the answer says.
   * @param {string} path @param {Record<string, string | undefined>} fields @param {CallOptions} [options] @returns {Promise<any>}
   */
  const mailed = async (path, fields, { signal } = {}) => {
    const result = await call(path, { body: form(fields), signal });
    if (!result.ok) return result;
    shared.announce({ type: "changed" });
    if (shared.known()) session();
    const { success, message, ...told } = result.answer;
    return { ok: true, ...told };
  };
  return {
    changeEmail: ({ email }, options = {}) => guarded(options, () => submit("/app/auth/changeEmail.php", { body: form({ email }), signal: options.signal })),

    confirmEmail: ({ token }, options) => mailed("/app/auth/confirmEmail.php", { token }, options),
    verifyEmail: (token, options) => mailed("/app/auth/verifyEmail.php", { token }, options),
    lockAccount: (token, options) => mailed("/app/auth/lockAccount.php", { token }, options),

    async resetPassword(reset, options) {
      meant("removePasskeys", reset, "boolean");
      const { token, password, confirmation, removePasskeys } = reset;
      return mailed("/app/auth/resetPassword.php", { token, new_password: password, confirm_password: confirmation, passkeys: removePasskeys ? "remove" : "" }, options);
    },
  };
};
