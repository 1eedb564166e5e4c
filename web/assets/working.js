// The sign of work on a button: its text says what is going on, and further clicks do nothing. The button keeps the focus,
// which `disabled` would take from it.

/**
 * The text of each button that is at work.
 * @type {WeakMap<HTMLButtonElement, string>}
 */
const texts = new WeakMap();

/**
 * Whether a button is at work.
 * @param {HTMLButtonElement} button
 */
export const atWork = (button) => texts.has(button);

/**
 * @param {HTMLButtonElement} button
 * @param {string} text
 */
export function begin(button, text) {
  if (atWork(button)) return;
  texts.set(button, button.textContent ?? "");
  button.setAttribute("aria-disabled", "true");
  button.textContent = text;
}

/** @param {HTMLButtonElement} button */
export function end(button) {
  const text = texts.get(button);
  if (text === undefined) return;
  button.textContent = text;
  button.removeAttribute("aria-disabled");
  texts.delete(button);
}

// A page that the browser restores from its cache has left while its button was at work.
/** @type {Set<HTMLButtonElement>} */
const left = new Set();
addEventListener("pageshow", () => {
  left.forEach(end);
  left.clear();
});

/**
 * Marks a button until the page is left.
 * @param {HTMLButtonElement} button
 */
export const leave = (button) => left.add(button);

/**
 * Runs `work` once for several clicks.
 * @param {HTMLButtonElement} button
 * @param {string} text
 * @param {() => Promise<boolean | void>} work  Gives true if the page is being left: then the button stays at work.
 */
export async function working(button, text, work) {
  if (atWork(button)) return;
  begin(button, text);
  let leaves;
  try {
    leaves = await work();
  } finally {
    if (leaves) leave(button);
    else end(button);
  }
}
