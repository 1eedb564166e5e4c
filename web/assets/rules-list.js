// The lists of rules below new passwords show which of them the password meets: `form.js` loads this module when a form gets the focus.

import { PASSWORD_RULES } from "./rules.js";

/** @param {HTMLFormElement} form */
export function live(form) {
  for (const list of form.querySelectorAll(".rules")) {
    const field = form.querySelector(`input[aria-describedby~="${list.id}"]`);
    if (!(field instanceof HTMLInputElement)) continue;
    const tell = () => list.querySelectorAll("li").forEach((rule) => {
      const name = /** @type {keyof typeof PASSWORD_RULES} */ (rule.dataset.rule);
      const met = PASSWORD_RULES[name](field.value);
      rule.classList.toggle("met", met);
      const said = rule.querySelector(".unseen");
      if (said) said.textContent = met ? " (cumplida)" : " (pendiente)";
    });
    field.addEventListener("input", tell);
    tell();
  }
}
