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
