// A button that sends a mail, and can do so again only after a while.

/** Seconds until the mail can be sent again. */
const WAIT = 60;

/** @type {WeakMap<HTMLButtonElement, ReturnType<typeof setTimeout>>} */
const counting = new WeakMap();

/** @param {HTMLButtonElement} button @param {number} [seconds] */
export function again(button, seconds = WAIT) {
  clearTimeout(counting.get(button));
  button.classList.add("plain");
  button.disabled = seconds > 0;
  button.textContent = seconds > 0 ? `Enviar otra vez (${seconds} s)` : "Enviar otra vez";
  if (seconds > 0) counting.set(button, setTimeout(() => again(button, seconds - 1), 1000));
}
