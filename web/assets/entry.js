// After a login, a browser that keeps no cookie would lead the user back to the login, again and again.

import { account } from "./site.js";
import { BROWSER, SINCE, keep } from "./storage.js";

export const NOT_KEPT = "Tu navegador no ha guardado la sesión. Permite las cookies de esta web y entra de nuevo.";

/**
 * The result of a login, or a failure if the browser has not kept its session.
 * @template T
 * @param {import("../client/types.js").Result<T>} result
 * @returns {Promise<import("../client/types.js").Result<T>>}
 */
export async function entered(result) {
  if (!result.ok) return result;
  keep(SINCE, String(Date.now()), BROWSER);
  const now = await account.session();
  return now.ok || now.code !== "no-session"
    ? result
    : { ...now, message: NOT_KEPT };
}
