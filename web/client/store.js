// A store of who is signed in, for views: it asks once for all of them, and follows each change of the session.

/** @import { AccountClient, AccountState, AccountStore, SessionChange } from "./types.js" */

/** @type {AccountState} */
const LOADING = Object.freeze({ status: "loading" });

/** Creates a store. It asks when somebody subscribes. @param {Pick<AccountClient, "session" | "onSessionChange">} account @returns {AccountStore} */
export function createAccountStore(account) {
  let state = LOADING;
  /** @type {Set<() => void>} */
  const listeners = new Set();
  /** The changes since the last question. @type {SessionChange[]} */
  let changes = [];
  /** @type {Promise<void> | undefined} */
  let asking;
  /** @type {(() => void) | undefined} */
  let stop;

  /** @param {AccountState} next */
  const show = (next) => {
    state = next;
    for (const listener of [...listeners]) listener();
  };

  /** Asks who is signed in, until the answer is newer than every change. */
  const ask = () => (asking ??= (async () => {
    let result;
    do {
      changes = [];
      result = await account.session();
    } while (changes.length > 0 && !(result.ok && changes.length === 1 && announces(changes[0], result.user.id)));
    // Without a subscriber nobody would hear of the next change, so nothing is kept.
    if (!stop) return;
    if (result.ok) show({ status: "signed-in", user: result.user });
    // The end of a session is announced by the client, which looks twice. A failure does not take away what is shown.
    else if (state.status === "loading" || state.status === "failed") {
      show(result.code === "no-session" ? { status: "signed-out" } : { status: "failed", failure: result });
    }
  })().finally(() => { asking = undefined; }));

  /** @param {SessionChange} change */
  const follow = (change) => {
    changes.push(change);
    if (change.type === "signed-out") return show(change.ended ? { status: "signed-out", ended: true } : { status: "signed-out" });
    const shown = state.status === "signed-in" ? state.user : undefined;
    // Another user's data is not shown until the answer is there, and a login page does not send a new user back.
    if (change.type === "signed-in" && shown?.id !== change.account) show(LOADING);
    if (change.type === "changed" && change.email && shown?.id === change.account) {
      show({ status: "signed-in", user: { .../** @type {import("./types.js").User} */ (shown), email: change.email } });
    } else if (state.status !== "signed-out") ask();
  };

  const start = () => {
    const retry = () => { if (state.status === "failed") ask(); };
    const end = account.onSessionChange(follow);
    for (const event of ["online", "focus"]) globalThis.addEventListener?.(event, retry);
    stop = () => {
      end();
      for (const event of ["online", "focus"]) globalThis.removeEventListener?.(event, retry);
      stop = undefined;
      state = LOADING;
    };
    // A question that is still open may be older than the changes that nobody has heard.
    changes.push({ type: "changed" });
    ask();
  };

  return {
    subscribe(listener) {
      // A function of its own, so that the same listener can be added twice.
      const own = () => listener();
      listeners.add(own);
      if (!stop) start();
      return () => {
        listeners.delete(own);
        // Views that are replaced, or mounted twice by React's strict mode, subscribe again at once.
        setTimeout(() => { if (listeners.size === 0) stop?.(); });
      };
    },
    getSnapshot: () => state,
    getServerSnapshot: () => LOADING,
    refresh: ask,
  };
}

/** Whether the change is the login of this account, which the question itself has found. @param {SessionChange | undefined} change @param {number} account */
const announces = (change, account) => change?.type === "signed-in" && change.account === account;
