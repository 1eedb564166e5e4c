import { wire } from "../form.js";
import { redirectButton } from "../google.js";
import { confirmationProblem, emailProblem, nameProblem, passwordProblem } from "../rules.js";
import { account } from "../site.js";

wire({
  check: ({ name, email, password, confirmation, terms }) => ({
    name: nameProblem(name),
    email: emailProblem(email),
    password: passwordProblem(password),
    confirmation: confirmationProblem(password, confirmation),
    terms: terms ? "" : "Debe aceptar los términos y condiciones",
  }),
  send: ({ name, email, password, confirmation, terms, news }) =>
    account.register({ name, email, password, confirmation, terms: terms === "on", news: news === "on" }),
  done: () => location.assign("/login?registro=1"),
});

await redirectButton();
