// Loads the scripts of other hosts, which may be blocked, slow or missing.

/** Milliseconds until the page stops waiting for a script. */
export const TIMEOUT = 10_000;

/** Returns whether the script was loaded in time. @param {string} address @returns {Promise<boolean>} */
export function load(address) {
  return new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = address;
    script.async = true;
    script.addEventListener("load", () => resolve(true));
    script.addEventListener("error", () => resolve(false));
    setTimeout(() => resolve(false), TIMEOUT);
    document.head.append(script);
  });
}
