import { clear, near, wire } from "../form.js";
import { addressOf, fill } from "../picker.js";
import { confirmationProblem, nameProblem, passwordProblem } from "../rules.js";
import { handleLoss, keepEdits, signedIn } from "../session.js";
import { account, element, notify } from "../site.js";
import { working } from "../working.js";

/** @import { Changes, Section } from "../types.js" */

const user = await signedIn();
if (user) {
  const mine = { account: user.id };
  const name = element("name", HTMLInputElement);
  name.value = name.defaultValue = user.name;
  element("email").textContent = element("account", HTMLInputElement).value = user.email;
  const news = element("news", HTMLInputElement);
  news.checked = news.defaultChecked = user.acceptsNews;
  fill(element("avatars"), user.avatarUrl);

  /** Sections are saved one after the other, also without locks. @type {Promise<unknown>} */
  let saved = Promise.resolve();
  /** @param {Changes} changes */
  const save = (changes) => {
    const saving = saved.then(() => account.changeSettings(changes, mine));
    saved = saving.catch(() => {});
    return saving;
  };

  /** @type {Section} */
  const section = (id, send, check = () => ({}), doing = "Guardando…") => {
    const form = wire({
      form: element(id, HTMLFormElement),
      doing,
      check,
      send,
      done: ({ told = "Cambios guardados." }, values) => {
        import("../edits.js").then(({ saved }) => saved(form, values)).catch(() => {});
        notify(told, "good", near(form));
      },
      failed: ({ code }) => handleLoss(code),
    });
    return form;
  };

  await keepEdits([
    section("profile-form", ({ name }) => save({ name }), ({ name }) => ({ name: nameProblem(name) })),
    section("email-form", async ({ email }) => (await import("../new-email.js")).ask(email, user), undefined, "Enviando…"),
    section("avatar-form", ({ avatar }) => save({ avatar: addressOf(user.avatarUrl, avatar) })),
    section("news-form", ({ news }) => save({ news: news === "on" })),
    section(
      "password-form",
      async ({ password, confirmation }) => {
        const result = await save({ password, confirmation });
        if (result.ok) {
          ["password", "confirmation"].forEach((field) => clear(element(field, HTMLInputElement)));
          element("no-password").hidden = true;
        }
        return result;
      },
      ({ password, confirmation }) => ({ password: passwordProblem(password), confirmation: confirmationProblem(password, confirmation) }),
    ),
  ]);

  const button = element("export", HTMLButtonElement);
  const there = near(button.parentElement);
  button.addEventListener("click", () => working(button, "Descargando…", async () => (await import("../export.js")).download(mine, there), there));
  // The sections were hidden when the browser looked for the one in the address.
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  const address = element("account", HTMLInputElement);
  account.onSessionChange((change) => {
    if (change.type !== "changed" || !change.email) return;
    address.value = change.email;
    security(user);
  });
  await security(user);
}

/** Shows whether the address is verified and there is a password. @param {import("../../client/types.js").User} user */
async function security(user) {
  const result = await account.sessions({ account: user.id });
  const text = element("verification-text");
  if (!result.ok) {
    if (!handleLoss(result.code)) text.textContent = "No se ha podido comprobar.";
    return;
  }
  const button = element("verification", HTMLButtonElement);
  const verified = () => {
    text.textContent = "Tu email ya está verificado.";
    button.hidden = true;
  };
  element("no-password").hidden = result.hasPassword;
  if (result.emailVerified) return verified();
  text.textContent = "Confirma que el email es tuyo. Te enviaremos un enlace.";
  button.hidden = false;
  const more = near(button.parentElement);
  button.onclick = () => working(button, "Enviando…", async () => (await import("../verification.js")).sendHere(button, user, text, verified, more), more);
}
