// What the tabs of one origin share: a lock for logins, logouts and guarded calls, and news of the session's changes.
// Outside a browser nothing is shared, because several users may share one process.

import { failure } from "./failures.js";
import { deadline } from "./request.js";

/** @import { SessionChange, Tabs } from "./types.js" */

/** @param {string} baseUrl @param {number} timeout @returns {Tabs} */
export function tabs(baseUrl, timeout) {
  const page = typeof location === "object" ? location : undefined;
  const name = `account-session ${page && !baseUrl ? page.origin : baseUrl}`;
  const locks = page && globalThis.navigator?.locks;
  /** @type {Set<(change: SessionChange) => void>} */
  const listeners = new Set();
  /** @type {BroadcastChannel | undefined} */
  let channel;

  /** @param {SessionChange} change */
  const notify = (change) => listeners.forEach((listener) => {
    // One listener that fails must not silence the others, or make a call fail that has succeeded.
    try {
      listener(change);
    } catch (error) {
      setTimeout(() => { throw error; });
    }
  });
  const open = () => (page && typeof BroadcastChannel === "function" ? new BroadcastChannel(name) : undefined);

  return {
    async exclusive(signal, work) {
      if (!locks) return work();
      const wait = deadline(timeout, signal);
      let begun = false;
      try {
        return await locks.request(name, { mode: "exclusive", signal: wait.signal }, () => {
          begun = true;
          wait.clear();
          return work();
        });
      } catch (cause) {
        if (begun) throw cause;
        const ended = wait.ended();
        // A page without an origin of its own, such as one in a sandbox, has no locks.
        return ended ? failure(ended, { cause }) : work();
      } finally {
        wait.clear();
      }
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
      if (!channel) {
        channel = open();
        channel?.addEventListener("message", ({ data }) => notify(data));
      }
      return () => {
        listeners.delete(own);
        if (listeners.size > 0) return;
        channel?.close();
        channel = undefined;
      };
    },
  };
}
