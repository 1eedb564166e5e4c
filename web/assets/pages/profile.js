import { emailProblem } from "../address.js";
import { clear, near, wire } from "../form.js";
import { addressOf, fill } from "../picker.js";
import { confirmationProblem, nameProblem, passwordProblem } from "../rules.js";
import { handleLoss, keepEdits, signedIn } from "../session.js";
import { account, element, notify } from "../site.js";
import { working } from "../working.js";

/** @import { Changes, Section, Values } from "../types.js" */

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

  /** What has been sent is no edit any more. @param {HTMLFormElement} form @param {Values} values */
  const settle = (form, values) => void import("../edits.js").then(({ saved }) => saved(form, values)).catch(() => {});

  /** @type {Section} */
  const section = (id, changes, check = () => ({}), after = () => {}) => {
    const form = wire({
      form: element(id, HTMLFormElement),
      doing: "Guardando…",
      check,
      send: (values) => save(changes(values)),
      done: (_, values) => {
        after();
        settle(form, values);
        notify("Cambios guardados.", "good", near(form));
      },
      failed: ({ code }) => handleLoss(code),
    });
    return form;
  };

  const address = wire({
    form: element("email-form", HTMLFormElement),
    doing: "Enviando…",
    check: ({ email }) => ({ email: emailProblem(email) || (email.trim().toLowerCase() === user.email ? "Ese ya es tu email." : "") }),
    send: async ({ email }) => {
      const result = await account.changeEmail({ email }, mine);
      // Whoever is signed in cannot sign in, as the client's sentence says.
      return !result.ok && result.code === "email-taken" ? { ...result, message: "Ya hay una cuenta con ese email. Usa otro." } : result;
    },
    done: (_, values) => {
      settle(address, values);
      const sent = `Revisa tu correo nuevo. Hemos enviado un enlace a ${values.email}, que caduca en 24 horas. Mira también en el correo no deseado.`;
      notify(`${sent} Hasta que lo confirmes, tu email sigue siendo ${user.email}. No necesitas entrar en el correo anterior.`, "good", near(address));
    },
    failed: ({ code }) => handleLoss(code),
  });

  await keepEdits([
    address,
    section("profile-form", ({ name }) => ({ name }), ({ name }) => ({ name: nameProblem(name) })),
    section("avatar-form", ({ avatar }) => ({ avatar: addressOf(user.avatarUrl, avatar) })),
    section("news-form", ({ news }) => ({ news: news === "on" })),
    section(
      "password-form",
      ({ password, confirmation }) => ({ password, confirmation }),
      ({ password, confirmation }) => ({ password: passwordProblem(password), confirmation: confirmationProblem(password, confirmation) }),
      () => {
        ["password", "confirmation"].forEach((field) => clear(element(field, HTMLInputElement)));
        element("no-password").hidden = true;
      },
    ),
  ]);

  const button = element("export", HTMLButtonElement);
  const there = near(button.parentElement);
  button.addEventListener("click", () => working(button, "Descargando…", async () => (await import("../export.js")).download(mine, there), there));
  // The sections were hidden when the browser looked for the one in the address.
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  await security(user);
}

/** Shows whether the address is verified and there is a password. @param {import("../../client/types.js").User} user */
async function security({ id, email }) {
  const result = await account.sessions({ account: id });
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
  const sent = () => {
    text.textContent = "Abre el enlace para confirmar que el email es tuyo.";
    notify(`Revisa tu correo. Hemos enviado un enlace a ${email}. Mira también en el correo no deseado.`, "good", more);
  };
  button.addEventListener("click", () => working(button, "Enviando…", async () => (await import("../verification.js")).send(button, id, sent, verified, more), more));
}
