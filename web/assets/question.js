// A button that asks before it acts, and the button that takes it back.

import { create } from "./site.js";

/**
 * @param {{ text: string, name?: string, loss: string, no: string, act: (button: HTMLButtonElement) => void }} question  The text of the
 * button, what it acts on for a screen reader, what is lost by it, and the text of the other button.
 * @returns {{ warning: HTMLElement, choice: HTMLElement }}  What is lost, and the buttons.
 */
export function question({ text, name = "", loss, no, act }) {
  const warning = create("p", { className: "warning" });
  warning.setAttribute("role", "status");
  const choice = create("div", { className: "choice" });
  const button = create("button", { type: "button" });
  const cancel = create("button", { type: "button", className: "button plain", textContent: no });
  /** @param {boolean} asks */
  const ask = (asks) => {
    cancel.hidden = !asks;
    button.className = asks ? "button plain danger-text" : "button plain";
    button.textContent = asks ? `Sí, ${text.toLowerCase()}` : text;
    button.setAttribute("aria-label", button.textContent + name);
    warning.textContent = asks ? loss : "";
  };
  ask(false);
  button.addEventListener("click", ({ detail }) => {
    // The rest of a double click does not answer the question.
    if (!cancel.hidden) return void (detail < 2 && act(button));
    ask(true);
    cancel.focus();
  });
  cancel.addEventListener("click", () => {
    ask(false);
    button.focus();
  });
  // A key that is held down neither asks again nor answers the question.
  choice.addEventListener("keydown", (event) => { if (event.repeat && event.key === "Enter") event.preventDefault(); });
  choice.append(cancel, button);
  return { warning, choice };
}
