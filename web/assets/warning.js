// The dialog before the end of the session, whose reason and buttons `idle.js` and `end.js` give.

import { near } from "./form.js";
import { create } from "./site.js";

/** @param {string} reason @param {string} yes  The text of the first button. @param {string} no  The text of the second. */
export function warning(reason, yes, no) {
  const dialog = create("dialog", { className: "card" });
  dialog.setAttribute("role", "alertdialog");
  const heading = create("h2", { id: "warning-heading", textContent: "Tu sesión va a terminar" });
  const text = create("p", { id: "warning-text", textContent: reason });
  dialog.setAttribute("aria-labelledby", heading.id);
  dialog.setAttribute("aria-describedby", text.id);
  const notice = create("div", { className: "notice", role: "status", tabIndex: -1 });
  const first = create("button", { type: "button", className: "button", textContent: yes });
  const second = create("button", { type: "button", className: "button plain", textContent: no });
  dialog.append(heading, text, notice, first, second);
  document.body.append(dialog);
  dialog.showModal();
  // The browser would focus the empty notice.
  first.focus();
  return { dialog, first, second, here: near(dialog) };
}
