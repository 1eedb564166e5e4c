// A client for the account service, for browsers and servers. README.md has examples; types.ts describes each function.

import { MESSAGES, failure } from "./failures.js";
import { address, post } from "./request.js";
import { tabs } from "./tabs.js";

export { MESSAGES };

/** @import { AccountClient, CallOptions, Changing, ClientOptions, Guarded, Opened, Result, Sent, Session, Settings, ToldSession, ToldUser, User, WithMore, WithPasskeys } from "./types.js" */

/**
 * Creates a client. Throws a TypeError for a `baseUrl` that is no address.
 * @param {ClientOptions} [options]
 * @returns {AccountClient}
 */
export function createAccountClient({ baseUrl = "", fetch, timeout = 35_000, headers = {} } = {}) {
  // The global function is looked up for each call, because a test or a monitoring tool may replace it.
  const connection = { baseUrl: address(baseUrl, fetch !== undefined), timeout, headers, fetch: fetch ?? ((...call) => globalThis.fetch(...call)) };
  const shared = tabs(connection.baseUrl, timeout);

  /** @param {string} path @param {Sent} [sent] @param {string} [part]  What a success must have. */
  const call = async (path, sent, part) => {
    const result = await post(connection, path, sent);
    return result.ok && part && !result.answer[part] ? failure("unavailable") : result;
  };

  /** @type {AccountClient["session"]} */
  const session = async ({ signal } = {}) => {
    const result = await call("/app/auth/session.php", { signal }, "user");
    return result.ok ? { ok: true, user: user(result.answer.user) } : result;
  };

  /** @type {Guarded} */
  const guarded = ({ account, signal }, work, { withoutSession = false, reads = false } = {}) => shared.alone(signal, async () => {
    if (account === undefined && !reads) return work();
    const now = await session({ signal });
    if (now.ok) return account === undefined || now.user.id === account ? work(now.user) : failure("session-changed");
    return withoutSession && now.code === "no-session" ? work() : now;
  });

  /** @type {Changing} */
  const changing = (path, options, { body, bodyFor, change, withoutSession } = {}) =>
    guarded(options, async (now) => {
      const result = await call(path, { body: now && bodyFor ? bodyFor(now) : body, signal: options.signal });
      if (result.ok) shared.announce(change ?? { type: "changed", account: now?.id ?? options.account });
      return plain(result);
    }, { withoutSession, reads: bodyFor !== undefined });

  /** @type {Opened} */
  const opened = (path, body, signal) => shared.alone(signal, async () => {
    const result = await call(path, { body, signal }, "user");
    if (!result.ok) return result;
    const found = user(result.answer.user);
    shared.announce({ type: "signed-in", account: found.id });
    return { ok: true, user: found };
  });

  const internals = { call, guarded, changing, opened };
  /** @param {unknown} cause */
  const unloaded = (cause) => failure(globalThis.navigator?.onLine === false ? "offline" : "network", { cause });
  /** @type {WithPasskeys} */
  const keys = (use) => import("./passkeys.js").then(({ passkeys }) => use(passkeys(internals)), unloaded);
  /** @type {WithMore} */
  const more = (use) => import("./more.js").then((module) => use(module.more(internals)), unloaded);

  /** @param {string} path @param {Record<string, string | undefined>} fields @param {CallOptions} [options] */
  const submit = async (path, fields, { signal } = {}) => plain(await call(path, { body: form(fields), signal }));

  return {
    session,

    async register({ name, email, password, confirmation, terms, news }, options) {
      decided("register", news);
      const fields = { nombre: name, email, password, "confirm-password": confirmation, terms: on(terms), notifications: on(news) };
      return about({ name }, await submit("/app/auth/sendRegister.php", fields, options));
    },

    async login({ email, password, captcha }, { signal } = {}) {
      const result = await opened("/app/auth/sendLogin.php", form({ email, password, "g-captcha-response": captcha }), signal);
      // The service also refuses a password that no account can have. For its owner it is a wrong one.
      return !result.ok && result.code === "weak-password" ? failure("wrong-credentials") : result;
    },

    passkeyLogin: (options = {}) => keys(({ login }) => login(options)),
    passkeys: (options = {}) => more(({ passkeys }) => passkeys(options)),
    createPasskey: (name, options = {}) => keys(({ create }) => create(name, options)),
    removePasskey: (id, options = {}) => more(({ removePasskey }) => removePasskey(id, options)),

    captchaChallenge: (options = {}) => more(({ captchaChallenge }) => captchaChallenge(options)),

    googleLogin: (credential, { signal } = {}) => shared.alone(signal, async () => {
      const result = await call("/app/auth/google-callback-login.php", { ...json({ credential }), signal }, "user");
      if (!result.ok) return result;
      shared.announce({ type: "signed-in", account: result.answer.user.id });
      const whole = await session({ signal });
      return whole.ok ? { ok: true, user: whole.user, created: result.answer.status === "inserted" } : whole;
    }),

    logout: (options = {}) => changing("/app/auth/logout.php", options, { change: { type: "signed-out" }, withoutSession: true }),

    sessions: (options = {}) => guarded(options, async () => {
      const result = await call("/app/auth/sessions.php", { signal: options.signal }, "sessions");
      if (!result.ok) return result;
      const { email_verified: emailVerified, has_password: hasPassword, sessions: all } = result.answer;
      return { ok: true, emailVerified, hasPassword, sessions: all.map(listed) };
    }),

    async closeSession(id, options = {}) {
      const result = await changing("/app/auth/closeSession.php", options, { body: form({ id }) });
      return !result.ok && result.code === "invalid-request" ? failure("unknown-session", { field: "id" }) : result;
    },

    closeOtherSessions: (options = {}) => changing("/app/auth/closeSession.php", options, { body: form({ others: "on" }) }),

    sendVerification: (options = {}) => guarded(options, async () => {
      const result = await call("/app/auth/sendVerification.php", { signal: options.signal });
      return result.ok ? { ok: true, alreadyVerified: result.answer.message === "El email ya está verificado" } : result;
    }),

    verifyEmail: (token, options) => submit("/app/auth/verifyEmail.php", { token }, options),

    exportAccount: (options = {}) => more(({ exportAccount }) => exportAccount(options)),

    async updateSettings(settings, options = {}) {
      decided("updateSettings", settings.news);
      return about(settings, await changing("/app/auth/sendUserConfig.php", options, { body: changed(settings) }));
    },

    async changeSettings({ name, news, ...others }, options = {}) {
      /** @param {User} now */
      const bodyFor = (now) => changed({ name: name ?? now.name, news: news ?? now.acceptsNews, ...others });
      // A name that the account already has is valid.
      return about({ name: name ?? "-", ...others }, await changing("/app/auth/sendUserConfig.php", options, { bodyFor }));
    },

    deleteAccount: (options = {}) => changing("/app/auth/deleteAccount.php", options, { change: { type: "signed-out" } }),

    sendResetLink: (email, options) => submit("/app/auth/sendResetLink.php", { email }, options),

    resetPassword: ({ token, password, confirmation }, options) =>
      submit("/app/auth/resetPassword.php", { token, new_password: password, confirm_password: confirmation }, options),

    receiveData: (entries, options = {}) => more(({ receiveData }) => receiveData(entries, options)),

    onSessionChange: (listener) => shared.listen(listener),
  };
}

/** @param {Result<{ answer: unknown }>} result @returns {Result}  Without the service's answer. */
const plain = (result) => (result.ok ? { ok: true } : result);

/** @param {ToldUser} told @returns {User} */
const user = ({ id, email, name, url_image, accept_news }) => ({ id, email, name, avatarUrl: url_image, acceptsNews: accept_news === 1 });

/** @param {ToldSession} told @returns {Session} */
const listed = ({ id, created_at, last_seen_at, browser, current }) =>
  ({ id, createdAt: new Date(created_at), lastSeenAt: new Date(last_seen_at), browser, current });

/** To the service, an absent newsletter is a "no". @param {string} name @param {unknown} news */
function decided(name, news) {
  if (typeof news !== "boolean") throw new TypeError(`${name} needs news: true or false. Without it, the user would lose the newsletter`);
}

/** The names that the service accepts. */
const NAME = /^[^\p{Cc}]{1,200}$/u;

/** Adds the parameter that an invalid request is about. @param {{ name: string, avatar?: string }} given @param {Result} result */
function about({ name, avatar }, result) {
  if (result.ok || result.code !== "invalid-request") return result;
  const field = NAME.test(String(name).trim()) ? avatar && "avatar" : "name";
  return field ? { ...result, field } : result;
}

/** Leaves out the fields that have no value. @param {Record<string, string | undefined>} fields */
function form(fields) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== "");
  return new URLSearchParams(/** @type {[string, string][]} */ (given));
}

/** @param {Settings} settings */
const changed = ({ name, avatar, password, confirmation, news }) =>
  form({ name, avatar, password, confirm_password: confirmation, notifications: on(news) });

/** @param {boolean} checked */
const on = (checked) => (checked ? "on" : "");

/** @param {unknown} value */
const json = (value) => ({ body: JSON.stringify(value), headers: { "Content-Type": "application/json" } });
