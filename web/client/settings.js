// The functions of the profile: what writes the name and the newsletter of an account, and its export. `index.js` loads this module when
// one of them is called.

import { form } from "./request.js";

/** @import { Internals, SettingsFunctions } from "./internals.js" */
/** @import { Result, Settings, User } from "./types.js" */

/** @param {Internals} internals @returns {SettingsFunctions} */
export const settings = ({ call, submit, guarded, changing }) => ({
  async register({ name, email, password, confirmation, terms, news }, { signal } = {}) {
    decided("register", news);
    const body = form({ nombre: name, email, password, "confirm-password": confirmation, terms: on(terms), notifications: on(news) });
    return about({ name }, await submit("/app/auth/sendRegister.php", { body, signal }));
  },

  async updateSettings(wanted, options = {}) {
    decided("updateSettings", wanted.news);
    return about(wanted, await changing("/app/auth/sendUserConfig.php", options, { body: changed(wanted) }));
  },

  async changeSettings({ name, news, ...others }, options = {}) {
    /** @param {User} now */
    const bodyFor = (now) => changed({ name: name ?? now.name, news: news ?? now.acceptsNews, ...others });
    // A name that the account already has is valid.
    return about({ name: name ?? "-", ...others }, await changing("/app/auth/sendUserConfig.php", options, { bodyFor }));
  },

  exportAccount: (options = {}) => guarded(options, async () => {
    /** @type {object[]} */
    const entries = [];
    let cursor = "";
    for (;;) {
      const page = await call("/app/auth/exportAccount.php", { body: form({ cursor }), signal: options.signal }, "entries");
      if (!page.ok) return page;
      const { success, cursor: next, entries: more, ...same } = page.answer;
      for (const entry of more) entries.push(entry);
      if (!next) return { ok: true, ...same, entries };
      cursor = next;
    }
  }),
});

/** To the service, an absent newsletter is a "no", and the user would get none. @param {string} name @param {unknown} news */
function decided(name, news) {
  if (typeof news !== "boolean") throw new TypeError(`${name} needs news: true or false`);
}

/** The names that the service accepts. */
export const NAME = /^[^\p{Cc}]{1,200}$/u;

/** Adds the parameter that an invalid request is about. @param {{ name: string, avatar?: string }} given @param {Result} result @returns {Result} */
function about({ name, avatar }, result) {
  if (result.ok || result.code !== "invalid-request") return result;
  const field = NAME.test(String(name).trim()) ? avatar && "avatar" : "name";
  return field ? { ...result, field } : result;
}

/** @param {Settings} settings */
const changed = ({ name, avatar, password, confirmation, news }) =>
  form({ name, avatar, password, confirm_password: confirmation, notifications: on(news) });

/** @param {boolean} checked */
const on = (checked) => (checked ? "on" : "");
