// A client for the account service. README.md has examples; types.ts describes each function.

import { MESSAGES, failure, unloaded } from "./failures.js";
import { address, post } from "./request.js";
import { tabs } from "./tabs.js";

export { MESSAGES };

/** @import { Internals, Later, Presence, AnsweredSession, AnsweredUser } from "./internals.js" */
/** @import { AccountClient, ClientOptions, Session, User } from "./types.js" */

/** Creates a client. Throws a TypeError for a `baseUrl` that is no address. @param {ClientOptions} [options] @returns {AccountClient} */
export function createAccountClient(options = {}) {
  const { fetch, timeout = 35_000, headers = {}, onConfirm } = options;
  // An address that is there but undefined, such as a missing variable, is not the page's own origin.
  const { baseUrl } = "baseUrl" in options ? options : { baseUrl: "" };
  if (!(timeout >= 0)) throw new TypeError(`timeout is ${timeout}: give milliseconds, or 0 for no limit`);
  // The global function is looked up for each call, because a tool may replace it.
  const connection = { baseUrl: address(baseUrl, fetch !== undefined), timeout, headers, fetch: fetch ?? ((...call) => globalThis.fetch(...call)) };
  const shared = tabs(connection.baseUrl, timeout, () => { look(); });

  /** @type {Internals["call"]} */
  const call = async (path, sent, part) => {
    const result = await post(connection, path, sent);
    if (!result.ok && result.code === "no-session" && shared.known()) look();
    return result.ok && part && !result.answer[part] ? failure("unavailable") : result;
  };

  /** @type {AccountClient["session"]} */
  const session = async ({ signal } = {}) => {
    const result = await call("/app/auth/session.php", { signal }, "user");
    if (!result.ok) {
      if (result.code === "no-session") shared.saw({ id: 0 });
      return result;
    }
    const found = user(result.answer.user);
    shared.saw(found);
    return { ok: true, user: found };
  };

  /** @type {Promise<void> | undefined} */
  let looking;
  /** Asks who is signed in. A session that has ended is announced if no other tab is just replacing it by a new one. */
  const look = () => (looking ??= session().then(async (now) => {
    if (now.ok || now.code !== "no-session" || !shared.known()) return;
    const still = await shared.exclusive(undefined, session);
    if (!still.ok && still.code === "no-session" && shared.known()) shared.announce({ type: "signed-out", ended: true });
  }).finally(() => { looking = undefined; }));

  /** @type {Internals["guarded"]} */
  const attempt = async (options, work, { withoutSession = false, reads = false } = {}) => {
    const guard = "account" in options;
    const { account, signal } = options;
    if (guard && !Number.isSafeInteger(account)) throw new TypeError(`account is ${account}: give the id of the account that the page shows, or leave it out`);
    return shared.exclusive(signal, async () => {
      if (!guard && !reads) return work();
      const now = await session({ signal });
      if (now.ok) return !guard || now.user.id === account ? work(now.user) : failure("session-changed");
      return withoutSession && now.code === "no-session" ? work() : now;
    });
  };

  /** @type {Internals["guarded"]} */
  const guarded = async (...call) => {
    const sent = performance.now();
    const result = await attempt(...call);
    if (!onConfirm || /** @type {any} */ (result).code !== "unproved") return result;
    return presence().then(({ again }) => again(call, sent, result), unloaded);
  };

  const own = { shared, call, session, attempt, guarded, onConfirm, user };
  /** @type {Presence | undefined} */
  let asked;
  /** Loads a module, and what those that write share. @template T, F @param {Promise<T>} module @param {(module: T) => (internals: Internals) => F} of */
  const loaded = (module, of) => Promise.all([module, import("./writes.js")]).then(([given, { writes }]) => of(given)({ ...own, ...writes(own) }));
  const entry = () => loaded(import("./entry.js"), ({ entry }) => entry);
  const more = () => loaded(import("./more.js"), ({ more }) => more);
  const passkeys = () => loaded(import("./passkeys.js"), ({ passkeys }) => passkeys);
  const presence = () => loaded(import("./presence.js"), ({ presence }) => (internals) => (asked ??= presence(internals)));
  const creation = () => loaded(import("./creation.js"), ({ creation }) => creation);
  const email = () => loaded(import("./email.js"), ({ email }) => email);
  const settings = () => loaded(import("./settings.js"), ({ settings }) => settings);
  /** @type {Later} */
  const later = (load, ...names) => /** @type {any} */ (Object.fromEntries(names.map((name) =>
    [name, (/** @type {any} */ ...values) => load().then((functions) => functions[name]?.(...values) ?? failure("outdated"), unloaded)])));

  return {
    session,
    ...later(entry, "login", "logout", "deleteAccount"),
    ...later(settings, "register", "updateSettings", "changeSettings", "exportAccount"),
    ...later(passkeys, "passkeyLogin", "preparePasskeyLogin"),
    ...later(creation, "createPasskey", "preparePasskey"),
    ...later(presence, "confirm"),
    ...later(email, "changeEmail", "confirmEmail", "verifyEmail", "lockAccount", "resetPassword"),
    ...later(more, "googleLogin", "captchaChallenge", "passkeys", "removePasskey", "closeSession", "closeOtherSessions", "sendVerification",
      "sendResetLink", "receiveData"),

    sessions: (options = {}) => guarded(options, async () => {
      const result = await call("/app/auth/sessions.php", { signal: options.signal }, "sessions");
      if (!result.ok) return result;
      const { email_verified: emailVerified, has_password: hasPassword, sessions: all } = result.answer;
      return { ok: true, emailVerified, hasPassword, sessions: all.map(listed) };
    }),

    onSessionChange: (listener) => shared.listen(listener),
  };
}

/** @param {AnsweredUser} answer @returns {User} */
const user = ({ id, email, name, url_image, accept_news }) => ({ id, email, name, avatarUrl: url_image, acceptsNews: accept_news === 1 });

/** @param {AnsweredSession} answer @returns {Session} */
const listed = ({ id, created_at, last_seen_at, browser, current }) =>
  ({ id, createdAt: new Date(created_at), lastSeenAt: new Date(last_seen_at), browser, current });
