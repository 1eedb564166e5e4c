// The calls that change an account or its session: `index.js` loads this module with the first function that makes one.

import { done } from "./failures.js";

/** @import { Base, Internals } from "./internals.js" */

/** @param {Base} base @returns {Pick<Internals, "submit" | "changing" | "opened">} */
export function writes({ shared, call, guarded, user }) {
  /** @type {Internals["submit"]} */
  const submit = async (path, sent) => done(await call(path, sent));
  return {
    submit,

    changing: (path, options, { body, bodyFor, change, withoutSession } = {}) =>
      guarded(options, async (now) => {
        const result = await submit(path, { body: now && bodyFor ? bodyFor(now) : body, signal: options.signal });
        if (result.ok) shared.announce(change ?? { type: "changed", account: now?.id ?? options.account });
        return result;
      }, { withoutSession, reads: bodyFor !== undefined }),

    opened: (path, body, signal) => shared.locked(signal, async () => {
      const result = await call(path, { body, signal }, "user");
      if (!result.ok) return result;
      const found = user(result.answer.user);
      shared.announce({ type: "signed-in", account: found.id });
      return { ok: true, user: found };
    }),
  };
}
