// What the pages say of a feature that a content blocker has stopped.

import { create, element, notify } from "./site.js";

/** Puts a notice in the place of the feature, so that the page's notice stays. @param {string} id @param {string} text */
export function blocked(id, text) {
  const feature = element(id);
  // The feature itself is hidden, or its section.
  feature.closest("[hidden]")?.removeAttribute("hidden");
  const place = create("div", { className: "notice" });
  feature.replaceWith(place);
  notify(text, "info", { place });
}
