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
  /** @param {Changes} changes @param {string} told */
  const save = async (changes, told) => {
    const saving = saved.then(() => account.changeSettings(changes, mine));
    saved = saving.catch(() => {});
    const result = await saving;
    return result.ok ? { ...result, told } : result;
  };

  /** @param {string} name */
  const choose = async (name) => {
    /** @param {string} current */
    const like = (current) => save({ avatar: addressOf(current, name) }, "Imagen guardada.");
    const result = await like(user.avatarUrl);
    if (result.ok || result.code !== "invalid-request") return result;
    // The avatars may have moved to another host since the page was loaded.
    const now = await account.session();
    return now.ok ? like(now.user.avatarUrl) : now;
  };

  /** @type {Section} */
  const section = (id, send, check = () => ({}), doing = "Guardando…") => {
    const form = wire({
      form: element(id, HTMLFormElement),
      doing,
      check,
      send,
      done: ({ told }, values) => {
        import("../edits.js").then(({ saved }) => saved(form, values)).catch(() => {});
        notify(told, "good", near(form));
      },
      failed: ({ code }) => handleLoss(code),
    });
    return form;
  };

  await keepEdits([
    section("profile-form", ({ name }) => save({ name }, "Nombre guardado."), ({ name }) => ({ name: nameProblem(name) })),
    section("email-form", async ({ email }) => (await import("../new-email.js")).ask(email, user), undefined, "Enviando…"),
    section("avatar-form", ({ avatar }) => choose(avatar)),
    section("news-form", ({ news }) => save({ news: news === "on" }, news ? "Te has apuntado al boletín." : "Te has dado de baja del boletín.")),
    section(
      "password-form",
      async ({ password, confirmation }) => {
        const result = await save({ password, confirmation }, "Contraseña guardada. Las demás sesiones se han cerrado.");
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
