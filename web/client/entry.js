// The login with a password, and the ways out: `index.js` loads this module when one of them is called.

import { failure } from "./failures.js";
import { form } from "./request.js";

/** @import { Internals } from "./internals.js" */
/** @import { AccountClient } from "./types.js" */

/** @param {Internals} internals @returns {Pick<AccountClient, "login" | "logout" | "deleteAccount">} */
export const entry = ({ opened, changing }) => ({
  async login({ email, password, captcha }, { signal } = {}) {
    const result = await opened("/app/auth/sendLogin.php", form({ email, password, "g-captcha-response": captcha }), signal);
    // A login with a password that breaks the rules answers `weak-password`. To the user, it is a wrong one.
    return !result.ok && result.code === "weak-password" ? failure("wrong-credentials") : result;
  },

  logout: (options = {}) => changing("/app/auth/logout.php", options, { change: { type: "signed-out" }, withoutSession: true }),

  deleteAccount: (options = {}) => changing("/app/auth/deleteAccount.php", options, { change: { type: "signed-out" } }),
});
