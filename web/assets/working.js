// Shows on a button that it is working. The button keeps the focus, which `disabled` would take away.

import { notify } from "./site.js";

/** The text and the label of each button that is at work. @type {WeakMap<HTMLButtonElement, (string | null)[]>} */
const texts = new WeakMap();

/** @param {HTMLButtonElement} button */
export const atWork = (button) => texts.has(button);

/** @param {HTMLButtonElement} button */
function end(button) {
  [button.textContent, button.ariaLabel] = texts.get(button) ?? ["", null];
  button.style.minInlineSize = "";
  button.removeAttribute("aria-disabled");
  texts.delete(button);
}

/** The buttons that were at work when the user left the page, which the browser may restore. @type {Set<HTMLButtonElement>} */
const left = new Set();
addEventListener("pageshow", () => {
  left.forEach(end);
  left.clear();
});

/** Runs `work` once for several clicks. @type {import("./types.js").Working} */
export const working = async (button, text, work, more) => {
  if (atWork(button)) return;
  texts.set(button, [button.textContent, button.ariaLabel]);
  button.style.minInlineSize = `min(100%, ${button.offsetWidth}px)`;
  button.ariaLabel = null;
  button.setAttribute("aria-disabled", "true");
  button.textContent = text;
  let leaves;
  try {
    leaves = await work();
  } catch (error) {
    console.error(error);
    notify("Algo ha fallado en esta página. Recárgala e inténtalo de nuevo.", "bad", more);
  } finally {
    if (leaves) left.add(button);
    else end(button);
  }
};
