// A form that says what is wrong where it is wrong, sends itself once at a time, and shows what came of it.

import { loginAddress, notify } from "./site.js";
import { PASSWORD_RULES } from "./rules.js";

/** @typedef {Record<string, string>} Values  What the fields hold, by name; a box that is not ticked has none. */

/** The fields that sentences of the service are about; what is about none or two stands above the form. */
const ABOUT = [
  { field: "email", words: /^(El|Introduce un|No existe una cuenta con ese) .*email/ },
  { field: "confirmation", words: /^Las contraseñas no coinciden$/ },
  { field: "password", words: /^La contraseña debe/ },
  { field: "terms", words: /términos/ },
];

/**
 * @template T
 * @param {object} options
 * @param {(values: Values) => Record<string, string>} options.check  Problems by field, empty for none; said beside their
 *   fields before anything is sent.
 * @param {(values: Values) => Promise<import("./account.js").Result<T>>} options.send
 * @param {(result: { ok: true, message: string } & T, values: Values) => void} options.done
 * @param {(failure: import("./account.js").Failure) => boolean} [options.failed]  Whether the page has dealt with it.
 */
export function wire({ check, send, done, failed = () => false }) {
  const form = document.querySelector("form");
  if (!form) throw new Error("the page has no form");
  form.querySelectorAll("input[type=password]").forEach(revealable);
  form.querySelectorAll("ul.rules").forEach(live);
  form.addEventListener("input", ({ target }) => {
    if (target instanceof HTMLInputElement) say(target, "");
  });
  // Until now a click would have sent the form past all this.
  form.querySelectorAll("button").forEach((button) => { button.disabled = false; });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (form.ariaBusy === "true") return;
    notify("");
    const values = /** @type {Values} */ (Object.fromEntries(new FormData(form)));
    if (show(form, check(values))) return;
    const result = await sending(form, () => send(values));
    if (result.ok) return done(result, values);
    if (failed(result)) return;
    if (result.reason === "unauthenticated") return location.assign(loginAddress());
    const about = ABOUT.find(({ field, words }) => words.test(result.message) && form.elements.namedItem(field));
    if (about) show(form, { [about.field]: result.message });
    else notify(result.message);
  });
}

/**
 * Shows problems beside their fields and goes to the first.
 * @param {HTMLFormElement} form
 * @param {Record<string, string>} problems
 * @returns {boolean} Whether there are any.
 */
function show(form, problems) {
  const fields = [...form.elements].filter((field) => field instanceof HTMLInputElement);
  fields.forEach((field) => say(field, problems[field.name] ?? ""));
  const first = fields.find((field) => problems[field.name]);
  first?.focus();
  return first !== undefined;
}

/**
 * @param {HTMLInputElement} field
 * @param {string} problem
 */
function say(field, problem) {
  const place = document.getElementById(`${field.id}-problem`);
  if (!place) return;
  place.textContent = problem;
  if (problem) field.setAttribute("aria-invalid", "true");
  else field.removeAttribute("aria-invalid");
}

/**
 * Runs `work` with the form's buttons off, and gives the focus back where it was.
 * @template T
 * @param {HTMLFormElement} form
 * @param {() => Promise<T>} work
 */
async function sending(form, work) {
  const buttons = [...form.elements].filter((field) => field instanceof HTMLButtonElement);
  const focused = document.activeElement;
  form.ariaBusy = "true";
  buttons.forEach((button) => { button.disabled = true; });
  try {
    return await work();
  } finally {
    form.ariaBusy = null;
    buttons.forEach((button) => { button.disabled = false; });
    if (focused instanceof HTMLElement) focused.focus();
  }
}

/**
 * Adds a button that shows what is typed.
 * @param {Element} field
 */
function revealable(field) {
  if (!(field instanceof HTMLInputElement)) return;
  const button = document.createElement("button");
  const tell = () => {
    const shown = field.type === "text";
    button.textContent = shown ? "Ocultar" : "Mostrar";
    button.setAttribute("aria-label", `${button.textContent} contraseña`);
  };
  Object.assign(button, { type: "button", className: "reveal" });
  button.addEventListener("click", () => {
    field.type = field.type === "text" ? "password" : "text";
    tell();
  });
  // Sent, or kept by the browser, it is a password again.
  field.form?.addEventListener("submit", () => {
    field.type = "password";
    tell();
  });
  tell();
  field.after(button);
}

/**
 * Shows which rules the password meets while it is typed.
 * @param {Element} list
 */
function live(list) {
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
