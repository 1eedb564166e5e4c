import { carry, emailProblem, keepAddress } from "../address.js";
import { config } from "../config.js";
import { wire } from "../form.js";
import { confirmationProblem, nameProblem, passwordProblem } from "../rules.js";
import { MESSAGES, account, element } from "../site.js";

carry(element("email", HTMLInputElement));

wire({
  doing: "Creando la cuenta…",
  check: ({ name, email, password, confirmation, terms }) => ({
    name: nameProblem(name),
    email: emailProblem(email),
    password: passwordProblem(password),
    confirmation: confirmationProblem(password, confirmation),
    terms: terms ? "" : MESSAGES["terms-required"],
  }),
  send: async ({ name, email, password, confirmation, terms, news }) => {
    const result = await account.register({ name, email, password, confirmation, terms: terms === "on", news: news === "on" });
    if (!result.ok) return result;
    keepAddress(email);
    // With a captcha, the login page has to show it.
    const login = (await config()).captcha ? undefined : await account.login({ email, password });
    const inside = login?.ok && (await (await import("../entry.js")).entered(login)).ok;
    return { ok: true, inside: inside === true };
  },
  done: ({ inside }) => (inside ? "/?bienvenida=1" : "/login?registro=1"),
});

// Content blockers may stop `google-redirect.js` or `google.js` because of their names. The form works without them.
config().then(async ({ google }) => google && (await import("../google-redirect.js")).redirectButton(google)).catch(async () => {
  (await import("../blocked.js")).blocked("google-section", "El registro con Google no está disponible. Usa el formulario, o permite google.js en tu bloqueador de contenidos y recarga la página.");
});
