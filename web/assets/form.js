// The behaviour of all forms. Passwords do not outlive the page.

import { create, notify, report, titled } from "./site.js";
import { atWork, working } from "./working.js";

/** @import { More, Values, Wiring } from "./types.js" */

/** @template T @param {Wiring<T>} wiring @returns {HTMLFormElement} */
export function wire({ form = document.querySelector("form"), doing, person, check, send, done, failed = () => false }) {
  const button = form?.querySelector("button");
  if (!form || !button) throw new Error("the page has no form");
  const here = { ...near(form), person };
  const passwords = [...form.querySelectorAll("input")].filter(({ type }) => type === "password");
  passwords.forEach(revealable);
  if (form.querySelector(".rules")) form.addEventListener("focusin", async () => (await import("./rules-list.js")).live(form), { once: true });
  forget(passwords);
  form.addEventListener("input", ({ target }) => {
    if (target instanceof HTMLInputElement) say(target, "");
  });
  // The HTML disables it: a click before this point would send the form without these checks.
  button.disabled = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (atWork(button)) return;
    notify("", "bad", here);
    const values = /** @type {Values} */ (Object.fromEntries(new FormData(form)));
    if (show(form, check(values))) return;
    working(button, doing, async () => {
      const result = await send(values);
      if (result.ok) {
        const next = done(result, values);
        if (next) location.assign(next);
        return Boolean(next);
      }
      if (await failed(result)) return true;
      if (!result.field || !show(form, { [result.field]: result.message })) report(result, here);
      return false;
    }, here);
  });
  return form;
}

/** The notice of a part of the page, or of the section around it. @param {Element | null} part @returns {More} */
export function near(part) {
  const place = part?.querySelector(".notice") ?? part?.closest("section")?.querySelector(".notice");
  return place instanceof HTMLElement ? { place } : {};
}

/** Empties the password fields when the page is left, because the browser may restore the page as it was. @param {HTMLInputElement[]} passwords */
function forget(passwords) {
  const empty = () => passwords.filter(({ value }) => value).forEach(clear);
  addEventListener("pagehide", empty);
  addEventListener("pageshow", ({ persisted }) => { if (persisted) empty(); });
}

/** @param {HTMLInputElement} field */
export function clear(field) {
  field.value = "";
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** Shows each error at its field, and focuses the first. Returns whether one is shown. @param {HTMLFormElement} form @param {Record<string, string>} problems */
function show(form, problems) {
  const inputs = [...form.elements].filter((field) => field instanceof HTMLInputElement);
  const fields = inputs.filter(({ id }) => document.getElementById(`${id}-problem`));
  fields.forEach((field) => say(field, problems[field.name] ?? ""));
  const first = fields.find((field) => problems[field.name]);
  // Its part may be folded.
  const folded = first?.closest("details");
  if (folded) folded.open = true;
  first?.focus();
  if (first) titled(true);
  return first !== undefined;
}

/** Phrases in error messages that become links, with their targets. */
const LINKS = { "Inicia sesión": "/login", "crea una cuenta": "/registro" };

/** @param {HTMLInputElement} field @param {string} problem */
function say(field, problem) {
  const place = document.getElementById(`${field.id}-problem`);
  if (!place) return;
  place.textContent = problem;
  for (const [words, href] of Object.entries(LINKS)) {
    const [before = "", after] = problem.split(words);
    if (after !== undefined) place.replaceChildren(before, create("a", { href, textContent: words }), after);
  }
  if (problem) field.setAttribute("aria-invalid", "true");
  else field.removeAttribute("aria-invalid");
}

/** Adds a button that shows or hides the password. @param {HTMLInputElement} field */
function revealable(field) {
  const button = create("button", { type: "button", className: "reveal" });
  // The browser would check and correct a password that is shown.
  Object.assign(field, { spellcheck: false, autocapitalize: "none" }).setAttribute("autocorrect", "off");
  const label = () => {
    const shown = field.type === "text";
    button.textContent = shown ? "Ocultar" : "Mostrar";
    button.setAttribute("aria-label", `${button.textContent} contraseña`);
  };
  button.addEventListener("click", () => {
    field.type = field.type === "text" ? "password" : "text";
    label();
  });
  // Hide the password when the form is sent, so that the browser does not store it as text.
  field.form?.addEventListener("submit", () => {
    field.type = "password";
    label();
  });
  label();
  field.after(button);
}
