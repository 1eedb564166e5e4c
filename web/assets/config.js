// The settings of this deployment, and how the page runs.

import { deadline } from "../client/request.js";

/** Milliseconds until a page goes on without them. */
const TIMEOUT = 10_000;

/** @type {Promise<import("./types.js").Config> | undefined} */
let known;

/** Loads them once per page. */
export const config = () => (known ??= settings());

/** @returns {Promise<import("./types.js").Config>} */
async function settings() {
  const { signal, clear } = deadline(TIMEOUT);
  try {
    const response = await fetch("/config.json", { signal });
    return response.ok ? await response.json() : {};
  } catch {
    return {};
  } finally {
    clear();
  }
}

/** Whether the page runs as an installed app. On iOS, Google's window never answers there. */
export const installed = () => /** @type {any} */ (navigator).standalone === true || matchMedia("(display-mode: standalone)").matches;
