// Sends one request to the service. Every failure of the connection becomes a value.

import { failure, unanswered } from "./failures.js";

/** @import { Connection, Parts, Sent } from "./internals.js" */
/** @import { Failure } from "./types.js" */

/** A part of an answer with the client's names and values, such as a date `createdAt` for `created_at`. @param {object} part @returns {any} */
export const read = (part) => Object.fromEntries(Object.entries(part).map(([name, value]) => [
  name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()),
  value === null ? undefined : /(^|_)at$/.test(name) ? new Date(value) : value,
]));

const WRITE = 'write "https://api.example.com", or nothing on its own origin, not outside a browser';

/** Checks the service's address. @param {string | undefined} baseUrl */
export function address(baseUrl) {
  if (baseUrl === "") return "";
  if (!/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/i.test(`${baseUrl}`)) throw new TypeError(`baseUrl is ${JSON.stringify(baseUrl)}: ${WRITE}`);
  return `${baseUrl}`.replace(/\/+$/, "");
}

/** @param {Connection} connection @param {string} path @param {Sent} [sent] @returns {Promise<{ ok: true, answer: any } | Failure>} */
export async function post({ baseUrl, fetch, own, timeout, headers, parts }, path, { body, headers: more, signal } = {}) {
  // Where pages are only rendered, such a client may be created, but not used.
  if (!baseUrl && !own && typeof location !== "object") return failure("misconfigured", { cause: new TypeError(`no baseUrl: ${WRITE}`) });
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
    return (await refusal(response.status, answer, parts)) ?? { ok: true, answer };
  } catch (cause) {
    const ended = limit.ended();
    if (ended) return failure(ended, { cause });
    const lost = unanswered(cause);
    if (lost.code !== "network" || !baseUrl || typeof location !== "object") return lost;
    const hidden = await parts.diagnosis().then(({ isHidden }) => isHidden(baseUrl + path, fetch), () => false);
    return hidden ? failure("misconfigured", { cause }) : lost;
  } finally {
    limit.clear();
  }
}

/** @param {number} status @param {any} answer @param {Parts} parts @returns {Failure | Promise<Failure> | undefined}  Nothing for a success. */
function refusal(status, answer, parts) {
  // The login with Google answers with `status`; all other endpoints answer with `success`.
  if (status === 200 && (answer?.success === true || answer?.status === "exists" || answer?.status === "inserted")) return undefined;
  if (status >= 500) return failure("unavailable");
  // Every page asks who is signed in, so this refusal is recognised without loading the table of all refusals.
  if (status === 401 && answer?.message === "No hay una sesión activa") return failure("no-session");
  return parts.refusals().then(({ reason }) => failure(...reason(status, answer)), parts.unloaded);
}

/** The failure of a call whose signal has aborted. A caller's own `AbortSignal.timeout` is a timeout too. @param {AbortSignal} signal @param {unknown} [cause] */
export const stopped = (signal, cause) => failure(why(signal), cause ? { cause } : undefined);

/** @param {AbortSignal} signal */
const why = (signal) => (signal.reason?.name === "TimeoutError" ? "timeout" : "aborted");

/** The longest time of a timer, in milliseconds. A longer one would end at once. */
const LONGEST = 2 ** 31 - 1;

/** A signal that aborts with the caller's, or after a time, unless that is 0 or infinite. @param {number} milliseconds @param {AbortSignal} [signal] */
export function deadline(milliseconds, signal) {
  const controller = new AbortController();
  const aborted = () => controller.abort(signal?.reason);
  // Not every place where this runs has a `DOMException`.
  const late = () => controller.abort(Object.assign(new Error("no answer in time"), { name: "TimeoutError" }));
  const timer = milliseconds > 0 && milliseconds < Infinity ? setTimeout(late, Math.min(milliseconds, LONGEST)) : undefined;
  if (signal?.aborted) aborted();
  else signal?.addEventListener("abort", aborted);
  return {
    signal: controller.signal,
    ended: () => (controller.signal.aborted ? why(controller.signal) : undefined),
    abort: () => controller.abort(),
    clear: () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", aborted);
    },
  };
}

/** Parses an answer. A proxy's page, which is no JSON object, gives nothing. @param {string} text */
function json(text) {
  try {
    const value = JSON.parse(text);
    return Object(value) === value ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A form without the fields that have no value. @param {Record<string, string | undefined>} fields */
export function form(fields) {
  return new URLSearchParams(/** @type {[string, string][]} */ (Object.entries(fields).filter(([, value]) => value)));
}
