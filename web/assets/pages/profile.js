import { addressOf, fill, nameOf } from "../avatars.js";
import { wire } from "../form.js";
import { confirmationProblem, nameProblem, passwordProblem } from "../rules.js";
import { account, element, loginAddress, notify, signedIn } from "../site.js";

const user = await signedIn();
if (user) {
  element("name", HTMLInputElement).value = user.name;
  element("email", HTMLInputElement).value = user.email;
  element("news", HTMLInputElement).checked = user.accept_news === 1;
  fill(element("avatars", HTMLElement), nameOf(user.url_image));
  wire({
    check: ({ name, password, confirmation }) => ({
      name: nameProblem(name),
      // If both fields are empty, the password does not change.
      password: password ? passwordProblem(password) : "",
      confirmation: confirmationProblem(password, confirmation),
    }),
    send: ({ name, avatar, password, confirmation, news }) =>
      account.updateSettings({ name, avatar: addressOf(user.url_image, avatar), password, confirmation, news: news === "on" }),
    done: ({ message }) => {
      for (const id of ["password", "confirmation"]) {
        const field = element(id, HTMLInputElement);
        field.value = "";
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }
      notify(message, "good");
    },
  });
  const button = element("export", HTMLButtonElement);
  button.addEventListener("click", () => save(button));
  const verification = element("verification", HTMLButtonElement);
  verification.addEventListener("click", () => sendVerification(verification));
}

/**
 * Downloads everything that is stored of the user as one file.
 * @param {HTMLButtonElement} button
 */
async function save(button) {
  button.disabled = true;
  const result = await account.exportAccount();
  button.disabled = false;
  if (result.ok) {
    const { account: profile, sessions, browsers, entries } = result;
    const text = JSON.stringify({ account: profile, sessions, browsers, entries }, null, 2);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = "mis-datos.json";
    link.click();
    URL.revokeObjectURL(link.href);
    notify("Se han descargado tus datos", "good");
  } else if (result.reason === "unauthenticated") {
    location.replace(loginAddress());
  } else {
    notify(result.message);
  }
}

/**
 * Mails a link that proves the address.
 * @param {HTMLButtonElement} button
 */
async function sendVerification(button) {
  button.disabled = true;
  const result = await account.sendVerification();
  button.disabled = false;
  if (!result.ok && result.reason === "unauthenticated") return location.replace(loginAddress());
  notify(result.message, result.ok ? "good" : "bad");
}
