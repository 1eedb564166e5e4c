// Sends one request to the service. Every failure of the connection becomes a value.

import { failure, refusal, unanswered } from "./failures.js";

/** @import { Connection, Sent } from "./internals.js" */
/** @import { Failure } from "./types.js" */

/**
 * Checks the service's address.
 * @param {string | undefined} baseUrl
 * @param {boolean} ownFetch  Whether the caller has given a `fetch`, which may add the address.
 */
export function address(baseUrl, ownFetch) {
  if (baseUrl === "" && (ownFetch || typeof location === "object")) return "";
  const url = parsed(baseUrl);
  if (!baseUrl || !url || !/^https?:\/\//i.test(baseUrl) || url.username || url.password || url.search || url.hash) {
    throw new TypeError(
      `baseUrl is ${JSON.stringify(baseUrl)}: write "https://api.example.com" (http or https, a host, and a path if there is one). Leave it out if the service is on the page's origin, but not outside a browser`,
    );
  }
  return baseUrl.replace(/\/+$/, "");
}

/** Reads an address. `URL.canParse` is missing in Safari before 17 and Chrome before 120. @param {unknown} text */
function parsed(text) {
  try {
    return typeof text === "string" ? new URL(text) : undefined;
  } catch {
    return undefined;
  }
}

/** @param {Connection} connection @param {string} path @param {Sent} [sent] @returns {Promise<{ ok: true, answer: any } | Failure>} */
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
    return (await refusal(response.status, answer)) ?? { ok: true, answer };
  } catch (cause) {
    const ended = limit.ended();
    if (ended) return failure(ended, { cause });
    const lost = unanswered(cause);
    return lost.code === "network" && (await hidden(baseUrl, path, fetch)) ? failure("misconfigured", { cause }) : lost;
  } finally {
    limit.clear();
  }
}

/** The failure of a call whose signal has aborted. A caller's own `AbortSignal.timeout` is a timeout too. @param {AbortSignal} signal @param {unknown} [cause] */
export const stopped = (signal, cause) => failure(why(signal), cause === undefined ? {} : { cause });

/** @param {AbortSignal | undefined} signal */
const why = (signal) => (signal?.reason?.name === "TimeoutError" ? "timeout" : "aborted");

/** The longest time of a timer. A longer one would end at once. */
const LONGEST = 2 ** 31 - 1;

/** A signal that aborts with the caller's signal, or after a time; never by itself if that is 0 or infinite. @param {number} milliseconds @param {AbortSignal} [signal] */
export function deadline(milliseconds, signal) {
  const controller = new AbortController();
  /** @type {"aborted" | "timeout" | undefined} */
  let ended;
  const aborted = () => {
    ended ??= why(signal);
    controller.abort(signal?.reason);
  };
  const timer = milliseconds > 0 && milliseconds < Infinity ? setTimeout(() => {
    ended ??= "timeout";
    // Not every place where this runs has a `DOMException`.
    controller.abort(Object.assign(new Error("no answer in time"), { name: "TimeoutError" }));
  }, Math.min(milliseconds, LONGEST)) : undefined;
  if (signal?.aborted) aborted();
  else signal?.addEventListener("abort", aborted);
  return {
    signal: controller.signal,
    ended: () => ended,
    abort: () => controller.abort(),
    clear: () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", aborted);
    },
  };
}

/** Whether the browser hides the service's answers from the page. @param {string} baseUrl @param {string} path @param {typeof globalThis.fetch} fetch */
async function hidden(baseUrl, path, fetch) {
  if (!baseUrl || typeof location !== "object" || new URL(baseUrl).origin === location.origin) return false;
  return import("./diagnosis.js").then(({ isHidden }) => isHidden(baseUrl + path, fetch), () => false);
}

/** Parses an answer. Gives nothing if it is no JSON object, such as a page of a proxy. @param {string} text */
function json(text) {
  try {
    const value = JSON.parse(text);
    return value !== null && typeof value === "object" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A form without the fields that have no value. @param {Record<string, string | undefined>} fields */
export function form(fields) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== "");
  return new URLSearchParams(/** @type {[string, string][]} */ (given));
}
