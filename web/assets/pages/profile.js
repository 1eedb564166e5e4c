import { addressOf, fill, nameOf } from "../avatars.js";
import { wire } from "../form.js";
import { confirmationProblem, nameProblem, passwordProblem } from "../rules.js";
import { account, element, notify, signedIn } from "../site.js";

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
}
