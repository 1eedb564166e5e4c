// For a server beside the service: whose request is this? The product's own API calls it where no authorizer of API Gateway does.

import { createAccountClient } from "./index.js";

/** @import { User } from "./types.js" */
/** @typedef {{ method?: string, headers: { get(name: string): string | null } | Record<string, string | string[] | undefined> }} ServerRequest A request of Node's `http`, of Express, or of `fetch`. */
/** @typedef {{ baseUrl: string, timeout?: number, fetch?: typeof globalThis.fetch }} RequireUserOptions The service's URL, and the milliseconds after which it counts as unavailable (5,000). */

/** A request that must not go on. `status` is that of the answer: 401 without a session, 403 without the header, 503 if the service does not answer. */
export class RequestRefused extends Error {
  /** @param {401 | 403 | 503} status @param {string} message @param {unknown} [cause] */
  constructor(status, message, cause) {
    super(message, { cause });
    this.name = "RequestRefused";
    this.status = status;
  }
}

/**
 * The user whose session a request has. A request that changes something also needs the header `X-Requested-With: XMLHttpRequest`,
 * which no page of another site can send. Throws a {@link RequestRefused} for any other request.
 * @param {ServerRequest} request @param {RequireUserOptions} options @returns {Promise<User>}
 */
export async function requireUser({ method = "GET", headers }, { baseUrl, timeout = 5_000, fetch }) {
  if (!baseUrl) throw new TypeError(`baseUrl is ${JSON.stringify(baseUrl)}: write the service's URL`);
  /** @param {string} name */
  const header = (name) => (typeof headers.get === "function" ? headers.get(name) : /** @type {Record<string, string | undefined>} */ (headers)[name]);
  if (!["GET", "HEAD", "OPTIONS"].includes(method) && header("x-requested-with") !== "XMLHttpRequest") {
    throw new RequestRefused(403, "Acceso prohibido");
  }
  const result = await createAccountClient({ baseUrl, timeout, ...(fetch && { fetch }), headers: { cookie: header("cookie") ?? "" } }).session();
  if (result.ok) return result.user;
  throw new RequestRefused(result.code === "no-session" ? 401 : 503, result.message, result);
}
