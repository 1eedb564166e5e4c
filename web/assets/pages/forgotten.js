import { wire } from "../form.js";
import { emailProblem } from "../rules.js";
import { account, element, notify } from "../site.js";

wire({
  check: ({ email }) => ({ email: emailProblem(email) }),
  send: ({ email }) => account.sendResetLink(email),
  done: (_, { email }) => {
    notify(`Hemos enviado un enlace a ${email.trim()}. Mira también en el correo no deseado.`, "good");
    element("content", HTMLElement).hidden = true;
    element("notice", HTMLElement).focus();
  },
});
