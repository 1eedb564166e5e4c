// Shows on a button that it is working. The button keeps the focus, which `disabled` would take away.

import { unloaded } from "../client/failures.js";
import { notify, report } from "./site.js";

/** Milliseconds until the page says that the answer is slow. */
const SLOW = 8_000;
const PATIENCE = "Está tardando más de lo normal. No cierres esta página.";

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
  const place = more?.place ?? document.getElementById("notice");
  // A dialog over the button or a device waits for the person, not for the service.
  const slow = setTimeout(() => {
    if (!more?.person && (place?.closest("dialog") || !document.querySelector("dialog[open]"))) notify(PATIENCE, "info", more);
  }, SLOW);
  let leaves;
  try {
    leaves = await work();
  } catch (error) {
    console.error(error);
    // A module of the page may be gone since a new deployment.
    if (/module/i.test(`${error}`) || error instanceof SyntaxError) report(await unloaded(error), more);
    else notify("Algo ha fallado en esta página. Recárgala e inténtalo de nuevo.", "bad", more);
  } finally {
    clearTimeout(slow);
    if (place?.textContent === PATIENCE) notify("", "info", more);
    if (leaves) left.add(button);
    else end(button);
  }
};
