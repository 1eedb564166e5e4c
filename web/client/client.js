// What every client does itself. `index.js` and `eager.js` add the rest.

import { failure } from "./failures.js";
import { address, post, read } from "./request.js";
import { tabs } from "./tabs.js";

/** @import { Functions, Internals, Parts, AnsweredUser } from "./internals.js" */
/** @import { ClientOptions, GuardedOptions, User } from "./types.js" */

/** @param {ClientOptions} options @param {Parts} parts @returns {Functions} */
export function client(options, parts) {
  const { fetch, timeout = 35_000, headers = {}, onConfirm } = options;
  // An address that is there but undefined, such as a missing variable, is not the page's own origin.
  const { baseUrl } = "baseUrl" in options ? options : { baseUrl: "" };
  if (!(timeout >= 0)) throw new TypeError(`timeout is ${timeout}: give milliseconds, or 0 for no limit`);
  // The global function is looked up for each call, because a tool may replace it.
  const connection = { baseUrl: address(baseUrl), timeout, headers, fetch: fetch ?? ((...call) => globalThis.fetch(...call)), own: !!fetch, parts };
  const shared = tabs(connection.baseUrl, timeout, () => { look(); });

  /** Whether a session has ended. @param {any} result */
  const gone = (result) => result.code === "no-session" && shared.known();

  /** @type {Internals["call"]} */
  const call = async (path, sent, part) => {
    const result = await post(connection, path, sent);
    if (gone(result)) look();
    return result.ok && part && !result.answer[part] ? failure("unavailable") : result;
  };

  /** @type {Functions["session"]} */
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
    if (gone(now) && gone(await shared.locked(undefined, session))) shared.announce({ type: "signed-out", ended: true });
  }).finally(() => { looking = undefined; }));

  /** @type {Internals["guarded"]} */
  const attempt = async (options, work, { withoutSession, reads, mode } = {}) => {
    const guard = "account" in options;
    const { account, signal } = options;
    if (guard && !Number.isSafeInteger(account)) throw new TypeError(`account is ${account}: give the id of the account that the page shows`);
    return shared.locked(signal, async () => {
      if (!guard && !reads) return work();
      // What changes nothing is asked at the same time. If the session is of another account, nobody sees the answer.
      const [now, early] = await Promise.all([session({ signal }), mode && work()]);
      if (now.ok) return !guard || now.user.id === account ? early || work(now.user) : failure("session-changed");
      return withoutSession && now.code === "no-session" ? work() : now;
    }, mode);
  };

  /** @type {Internals["guarded"]} */
  const guarded = async (...call) => {
    const sent = performance.now();
    const result = await attempt(...call);
    return onConfirm && /** @type {any} */ (result).code === "unproved" ? again(call, sent, result) : result;
  };

  /** Makes the function that gives the answer of a call, of which this part is a list. @param {string} path @param {string} part @returns {(options?: GuardedOptions) => Promise<any>} */
  const list = (path, part) => (options = {}) => guarded(options, async () => {
    const result = await call(path, { signal: options.signal }, part);
    if (!result.ok) return result;
    const { success, ...answer } = result.answer;
    return { ok: true, ...read(answer), [part]: answer[part].map(read) };
  }, { mode: "shared" });

  const passkeys = list("/app/auth/passkeys.php", "passkeys");
  const { again, ...functions } = parts.functions({ shared, call, session, attempt, guarded, passkeys, onConfirm, user, parts });
  return {
    session,
    ...functions,

    sessions: list("/app/auth/sessions.php", "sessions"),
    activity: list("/app/auth/activity.php", "activity"),
    passkeys,

    onSessionChange: (listener) => shared.listen(listener),
  };
}

/** @param {AnsweredUser} answer @returns {User} */
const user = ({ url_image, accept_news, ...same }) => ({ ...same, avatarUrl: url_image, acceptsNews: accept_news === 1 });
