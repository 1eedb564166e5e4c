// Loads the scripts of other hosts, which may be blocked, slow or missing, and says so.

import { create, element, notify } from "./site.js";

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

/** Puts a notice in the place of a feature whose script a content blocker has stopped, so that the page's notice stays. @param {string} id @param {string} text */
export function blocked(id, text) {
  const feature = element(id);
  // The feature itself is hidden, or its section.
  feature.closest("[hidden]")?.removeAttribute("hidden");
  const place = create("div", { className: "notice" });
  feature.replaceWith(place);
  notify(text, "info", { place });
}
