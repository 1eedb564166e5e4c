// Sends one request to the service. Every failure of the connection becomes a value.

import { failure, refusal } from "./failures.js";

/** @import { Connection, Failure, Sent } from "./types.js" */

/**
 * Checks the address of the service, and removes slashes at its end.
 * @param {string} baseUrl
 * @param {boolean} anyFetch  Whether a `fetch` of the caller's sends the requests, which may know the address.
 * @returns {string}
 */
export function address(baseUrl, anyFetch) {
  if (baseUrl === "") {
    if (anyFetch || typeof location === "object") return "";
    throw new TypeError('outside a browser, write the address of the service: createAccountClient({ baseUrl: "https://api.example.com" })');
  }
  const url = typeof baseUrl === "string" && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:\/\//i.test(baseUrl) || url.username || url.search || url.hash) {
    throw new TypeError(
      `baseUrl is ${JSON.stringify(baseUrl)}: write "https://api.example.com" (http or https, a host, and a path if there is one), or leave it out if the service is on the page's origin`,
    );
  }
  return baseUrl.replace(/\/+$/, "");
}

/**
 * Sends a POST and gives the answer's JSON.
 * @param {Connection} connection
 * @param {string} path
 * @param {Sent} [sent]
 * @returns {Promise<{ ok: true, answer: any } | Failure>}
 */
export async function post({ baseUrl, fetch, timeout, headers }, path, { body, headers: more, signal } = {}) {
  const limit = deadline(timeout, signal);
  try {
    const response = await fetch(baseUrl + path, {
      method: "POST",
      headers: { ...headers, ...more, "X-Requested-With": "XMLHttpRequest" },
      body,
      // Browsers send cookies to another origin only with "include".
      credentials: baseUrl ? "include" : "same-origin",
      cache: "no-store",
      redirect: "error",
      signal: limit.signal,
    });
    const answer = json(await response.text());
    return refusal(response.status, answer) ?? { ok: true, answer };
  } catch (cause) {
    const ended = limit.ended();
    if (ended) return failure(ended, { cause });
    if (globalThis.navigator?.onLine === false) return failure("offline", { cause });
    return failure((await hidden(baseUrl, path, fetch)) ? "misconfigured" : "network", { cause });
  } finally {
    limit.clear();
  }
}

/**
 * A signal that aborts with the caller's signal, or after a time.
 * @param {number} milliseconds
 * @param {AbortSignal} [signal]
 */
export function deadline(milliseconds, signal) {
  const controller = new AbortController();
  /** @type {"aborted" | "timeout" | undefined} */
  let why;
  /** @param {"aborted" | "timeout"} reason */
  const end = (reason) => {
    why ??= reason;
    controller.abort(reason === "aborted" ? signal?.reason : new DOMException("no answer in time", "TimeoutError"));
  };
  const aborted = () => end("aborted");
  const timer = setTimeout(() => end("timeout"), milliseconds);
  if (signal?.aborted) aborted();
  else signal?.addEventListener("abort", aborted);
  return {
    signal: controller.signal,
    ended: () => why,
    clear: () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", aborted);
    },
  };
}

/**
 * Whether the browser hides the answers of the service from the page.
 * @param {string} baseUrl
 * @param {string} path
 * @param {typeof globalThis.fetch} fetch
 */
async function hidden(baseUrl, path, fetch) {
  if (!baseUrl || typeof location !== "object" || new URL(baseUrl).origin === location.origin) return false;
  return import("./diagnosis.js").then(({ isHidden }) => isHidden(baseUrl + path, fetch), () => false);
}

/**
 * @param {string} text
 * @returns {unknown}  Nothing if the text is no JSON object: it comes from a proxy, or from the page of a public network.
 */
function json(text) {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === "object" ? value : undefined;
  } catch {
    return undefined;
  }
}
