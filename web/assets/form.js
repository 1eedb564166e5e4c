// The behaviour of all forms: show each error at its field, send one request at a time, and show the result.

import { loginAddress, notify } from "./site.js";
import { PASSWORD_RULES } from "./rules.js";

/** @typedef {Record<string, string>} Values  The values of the fields by name. An unchecked checkbox has no value. */

/** Which field a message of the service concerns. Messages about no field or several fields are shown above the form. */
const ABOUT = [
  { field: "email", words: /^(El|Introduce un|No existe una cuenta con ese) .*email/ },
  { field: "confirmation", words: /^Las contraseñas no coinciden$/ },
  { field: "password", words: /^La contraseña (debe|es)/ },
  { field: "terms", words: /términos/ },
];

/**
 * Connects the page's form to the service.
 * @template T
 * @param {object} options
 * @param {(values: Values) => Record<string, string>} options.check  Returns the error message of each field, or an empty
 *   string for a valid field. The form is sent only if there are no errors.
 * @param {(values: Values) => Promise<import("./account.js").Result<T>>} options.send  Sends the request.
 * @param {(result: { ok: true, message: string } & T, values: Values) => void} options.done  Called after a success.
 * @param {(failure: import("./account.js").Failure) => boolean} [options.failed]  Called after a failure. Returns true if
 *   the page has handled it.
 */
export function wire({ check, send, done, failed = () => false }) {
  const form = document.querySelector("form");
  if (!form) throw new Error("the page has no form");
  form.querySelectorAll("input[type=password]").forEach(revealable);
  form.querySelectorAll("ul.rules").forEach(live);
  form.addEventListener("input", ({ target }) => {
    if (target instanceof HTMLInputElement) say(target, "");
  });
  // The HTML disables the buttons, because a click before this point would send the form without these checks.
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
 * Shows each error at its field and moves the focus to the first.
 * @param {HTMLFormElement} form
 * @param {Record<string, string>} problems
 * @returns {boolean} Whether there is an error.
 */
function show(form, problems) {
  const fields = [...form.elements].filter((field) => field instanceof HTMLInputElement);
  fields.forEach((field) => say(field, problems[field.name] ?? ""));
  const first = fields.find((field) => problems[field.name]);
  first?.focus();
  return first !== undefined;
}

/**
 * Shows or, if `problem` is empty, removes the error of a field.
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
 * Runs `work` while the form's buttons are disabled, and then returns the focus to the element that had it.
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
 * Adds a button that shows or hides the password.
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
  // Hide the password again when the form is sent, so that the browser does not store it as ordinary text.
  field.form?.addEventListener("submit", () => {
    field.type = "password";
    tell();
  });
  tell();
  field.after(button);
}

/**
 * Shows which rules the password meets while the user types.
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
