// The list of rules below a new password shows which of them the password meets.

import { PASSWORD_RULES } from "./rules.js";

/** @param {Element} list */
export function live(list) {
  const field = document.querySelector(`input[aria-describedby~="${list.id}"]`);
  if (!(field instanceof HTMLInputElement)) return;
  const tell = () => {
    for (const rule of list.querySelectorAll("li")) {
      const name = /** @type {keyof typeof PASSWORD_RULES} */ (rule.dataset.rule);
      const met = PASSWORD_RULES[name](field.value);
      rule.classList.toggle("met", met);
      const said = rule.querySelector(".unseen");
      if (said) said.textContent = met ? " (cumplida)" : " (pendiente)";
    }
  };
  field.addEventListener("input", tell);
  tell();
}
