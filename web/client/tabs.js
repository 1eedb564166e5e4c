// What the tabs of one origin share: a lock for logins, logouts and guarded calls, and news of the session's changes.
// Outside a browser nothing is shared, because several users may share one process.

import { deadline, stopped } from "./request.js";

/** @import { Tabs } from "./internals.js" */
/** @import { SessionChange } from "./types.js" */

/** Milliseconds that a call waits for another tab. A tab that the browser has frozen holds its lock for ever. */
const PATIENCE = 5_000;

/** @param {string} baseUrl @param {number} timeout @param {() => void} look  Asks who is signed in. @returns {Tabs} */
export function tabs(baseUrl, timeout, look) {
  const page = typeof location === "object" ? location : undefined;
  const name = `account-session ${page && !baseUrl ? page.origin : baseUrl}`;
  const locks = page && globalThis.navigator?.locks;
  /** @type {Set<(change: SessionChange) => void>} */
  const listeners = new Set();
  /** @type {BroadcastChannel | undefined} */
  let channel;
  /** Who was signed in last: an id, 0 for nobody, or nothing if that is not known. @type {number | undefined} */
  let known;
  /** @type {Parameters<Tabs["saw"]>[0] | undefined} */
  let seen;

  /** @param {SessionChange} change */
  const notify = (change) => {
    if (change.type === "signed-in") known = change.account;
    if (change.type === "signed-out") known = 0;
    for (const listener of [...listeners]) {
      // A listener that fails must not silence the others, or fail the call.
      try {
        listener(change);
      } catch (error) {
        setTimeout(() => { throw error; });
      }
    }
  };
  const returned = () => { if (document.visibilityState === "visible") look(); };
  /** Whoever comes back to the page may have missed the end of the session. @param {"addEventListener" | "removeEventListener"} change */
  const watch = (change) => {
    if (typeof document !== "object") return;
    document[change]("visibilitychange", returned);
    globalThis[change]("focus", returned);
  };
  const open = () => {
    // A browser that keeps no cookie may refuse it.
    try {
      return page && new BroadcastChannel(name);
    } catch {}
  };

  return {
    async locked(signal, work, mode) {
      if (!locks) return work();
      const wait = deadline(Math.min(timeout || PATIENCE, PATIENCE), signal);
      /** @type {ReturnType<typeof work> | undefined} */
      let begun;
      const begin = () => {
        wait.clear();
        return (begun = work());
      };
      try {
        return await locks.request(name, { signal: wait.signal, mode }, begin).catch((cause) => {
          if (begun || signal?.aborted || !wait.ended()) throw cause;
          return locks.request(name, { steal: true }, begin);
        });
      } catch (cause) {
        // Another tab may have taken the lock. The call goes on.
        if (begun) return begun;
        // A page without an origin, such as one in a sandbox, has no locks.
        return signal?.aborted ? stopped(signal, cause) : work();
      } finally {
        wait.clear();
      }
    },

    known: () => known,

    saw(now) {
      const { id, email } = now;
      if (id && known !== undefined && known !== id) this.announce({ type: "signed-in", account: id });
      // The end of a session is announced only after a second look.
      if (id || !known) known = id;
      const moved = id && seen?.id === id && seen.email !== email;
      seen = now;
      if (moved) notify({ type: "changed", account: id, email });
    },

    announce(change) {
      notify(change);
      const to = channel ?? open();
      to?.postMessage(change);
      // An open channel may keep a page out of the browser's back/forward cache.
      if (to !== channel) to?.close();
    },

    listen(listener) {
      // A function of its own, so that the same listener can be added twice.
      const own = (/** @type {SessionChange} */ change) => listener(change);
      listeners.add(own);
      if (listeners.size === 1) {
        watch("addEventListener");
        channel = open();
        channel?.addEventListener("message", ({ data }) => {
          notify(data);
          // A link from a mail may have ended the sessions of this account.
          if (data.type === "changed" && data.account === undefined && known) look();
        });
      }
      return () => {
        listeners.delete(own);
        if (listeners.size > 0) return;
        watch("removeEventListener");
        channel?.close();
        channel = undefined;
      };
    },
  };
}
