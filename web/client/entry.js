// The login with a password, and the ways out: `index.js` loads this module when one of them is called.

import { failure } from "./failures.js";
import { form } from "./request.js";

/** @import { Functions, Internals } from "./internals.js" */

/** @param {Internals} internals @returns {Pick<Functions, "login" | "logout" | "deleteAccount">} */
export const entry = ({ opened, changing }) => ({
  async login({ email, password, captcha }, { signal } = {}) {
    const result = await opened("/app/auth/sendLogin.php", form({ email, password, "g-captcha-response": captcha }), signal);
    // A password from before today's rules, in the system that the account comes from, cannot log in.
    return !result.ok && result.code === "weak-password" ? failure("outdated-password") : result;
  },

  logout: (options = {}) => changing("/app/auth/logout.php", options, { change: { type: "signed-out" }, withoutSession: true }),

  deleteAccount: (options = {}) => changing("/app/auth/deleteAccount.php", options, { change: { type: "signed-out" } }),
});
