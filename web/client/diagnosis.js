// Finds out why a request to another origin has failed: `request.js` loads this module after such a failure.

/** Milliseconds for a request that finds out why another one has failed. */
const LIMIT = 5_000;

/**
 * Whether the browser hides the answers of this address from the page, because the service does not list the page's origin.
 * A browser does not tell a script why a request has failed. So two requests that change nothing follow: one whose answer
 * the page must be able to read, and one whose answer nobody reads.
 * @param {string} url
 * @param {typeof globalThis.fetch} fetch
 */
export async function isHidden(url, fetch) {
  if (url.startsWith(`${location.origin}/`)) return false;
  /** @param {RequestMode} mode */
  const reachable = (mode) =>
    fetch(url, { mode, credentials: "omit", cache: "no-store", signal: AbortSignal.timeout(LIMIT) }).then(() => true, () => false);
  return !(await reachable("cors")) && reachable("no-cors");
}
