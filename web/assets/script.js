// Scripts of others, which may be blocked, slow or gone.

/** Milliseconds after which a script counts as gone. */
const PATIENCE = 10_000;

/**
 * Loads a script once.
 * @param {string} address
 * @returns {Promise<boolean>} Whether it came.
 */
export function load(address) {
  return new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = address;
    script.async = true;
    script.addEventListener("load", () => resolve(true));
    script.addEventListener("error", () => resolve(false));
    setTimeout(() => resolve(false), PATIENCE);
    document.head.append(script);
  });
}
