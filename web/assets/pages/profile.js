// The profile: each section saves only its own values.

import { addressOf, fill, nameOf } from "../avatars.js";
import { clear, wire } from "../form.js";
import { confirmationProblem, nameProblem, passwordProblem } from "../rules.js";
import { lost, signedIn } from "../session.js";
import { account, element, notify } from "../site.js";
import { EDITS, kept } from "../storage.js";
import { working } from "../working.js";

/** @typedef {{ name?: string, avatar?: string, news?: boolean, password?: string, confirmation?: string }} Changes */

const user = await signedIn();
if (user) {
  const mine = { account: user.id };
  element("name", HTMLInputElement).value = user.name;
  for (const id of ["email", "account"]) element(id, HTMLInputElement).value = user.email;
  element("news", HTMLInputElement).checked = user.acceptsNews;
  fill(element("avatars", HTMLElement), nameOf(user.avatarUrl));

  /**
   * Saves these values and sends all others as they are now, because the service replaces all of them.
   * @param {Changes} changes
   */
  const save = async (changes) => {
    const now = await account.session();
    if (!now.ok) return now;
    const { name, avatarUrl, acceptsNews } = now.user;
    return account.updateSettings({ name, avatar: avatarUrl, news: acceptsNews, ...changes }, mine);
  };

  /**
   * @param {string} id
   * @param {(values: import("../types.js").Values) => Changes} changes
   * @param {(values: import("../types.js").Values) => Record<string, string>} check
   * @param {() => void} after
   */
  const section = (id, changes, check = () => ({}), after = () => {}) => {
    const form = element(id, HTMLFormElement);
    wire({
      form,
      doing: "Guardando…",
      check,
      send: (values) => save(changes(values)),
      done: () => {
        after();
        const place = form.querySelector(".notice");
        if (place instanceof HTMLElement) notify("Cambios guardados", "good", { place });
      },
      failed: async ({ code }) => {
        if (code === "no-session") (await import("../edits.js")).keep(forms, user.id);
        return lost(code);
      },
    });
    return form;
  };

  /** @type {HTMLFormElement[]} */
  const forms = [];
  forms.push(
    section("profile-form", ({ name }) => ({ name }), ({ name }) => ({ name: nameProblem(name) })),
    section("avatar-form", ({ avatar }) => ({ avatar: addressOf(user.avatarUrl, avatar) })),
    section("news-form", ({ news }) => ({ news: news === "on" })),
    section(
      "password-form",
      ({ password, confirmation }) => ({ password, confirmation }),
      ({ password, confirmation }) => ({ password: passwordProblem(password), confirmation: confirmationProblem(password, confirmation) }),
      () => ["password", "confirmation"].forEach((name) => clear(element(name, HTMLInputElement))),
    ),
  );
  if (kept(EDITS) && (await import("../edits.js")).restore(forms, user.id)) {
    notify("Aquí están tus cambios de antes. Revísalos y guarda cada sección.", "good", { heading: "Cambios sin guardar" });
  }

  /** @param {string} id @param {string} doing @param {(more: import("../types.js").More) => Promise<unknown>} work */
  const action = (id, doing, work) => {
    const button = element(id, HTMLButtonElement);
    const more = near(button);
    button.addEventListener("click", () => working(button, doing, async () => void (await work(more)), more));
  };
  action("verification", "Enviando…", async (more) => (await import("../verification.js")).sendVerification(user.id, more));
  action("export", "Descargando…", async (more) => (await import("../export.js")).download(mine, more));
  // The sections were hidden when the browser looked for the one in the address.
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

/**
 * The notice of the section of a button.
 * @param {HTMLElement} button
 * @returns {import("../types.js").More}
 */
function near(button) {
  const place = button.parentElement?.querySelector(".notice");
  return place instanceof HTMLElement ? { place } : {};
}
