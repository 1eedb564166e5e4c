// A form in a part of a page for signed-in users. Its part tells what has become of it.

import { near, wire } from "./form.js";
import { handleLoss } from "./session.js";
import { notify } from "./site.js";

/** @type {import("./types.js").Section} */
export const section = (id, send, check = () => ({}), doing = "Guardando…") => {
  const found = document.getElementById(id);
  const form = wire({
    form: found instanceof HTMLFormElement ? found : null,
    doing,
    check,
    send,
    done: ({ told }, values) => {
      import("./edits.js").then(({ saved }) => saved(form, values)).catch(() => {});
      notify(told, "good", near(form));
    },
    failed: ({ code }) => handleLoss(code),
  });
  return form;
};

/** Unfolds the form of a section. @param {Element} part */
export function unfold(part) {
  const details = part.querySelector("details");
  if (details) details.open = true;
}

/** Shows the section in the address, with its form, now and when the address changes. It was hidden when the browser looked for it. */
export function reveal() {
  const show = () => {
    const part = document.getElementById(location.hash.slice(1));
    // The link to the content leads to all sections.
    if (part?.tagName !== "SECTION") return;
    unfold(part);
    part.scrollIntoView();
  };
  addEventListener("hashchange", show);
  show();
}
