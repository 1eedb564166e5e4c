import { carry, emailProblem, keepAddress } from "../address.js";
import { config } from "../config.js";
import { wire } from "../form.js";
import { confirmationProblem, nameProblem, passwordProblem } from "../rules.js";
import { MESSAGES, account, element } from "../site.js";

/** Failures after which the account may be there nevertheless. */
const LOST = ["network", "offline", "timeout", "unavailable"];

carry(element("email", HTMLInputElement));
/** The email and the password whose answer was lost. */
let lost = "";
addEventListener("pagehide", () => { lost = ""; });

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
    const sent = `${email.trim().toLowerCase()} ${password}`;
    if (!result.ok && LOST.includes(result.code)) lost = sent;
    // The account may be the user's own, from the attempt whose answer was lost: then the login succeeds.
    const own = !result.ok && result.code === "email-taken" && lost === sent;
    if (!result.ok && !own) return result;
    keepAddress(email);
    // With a captcha, the login page has to show it.
    const login = (await config()).captcha ? undefined : await account.login({ email, password });
    if (!result.ok && !login?.ok) return result;
    const inside = login?.ok && (await (await import("../entry.js")).entered(login)).ok;
    return { ok: true, inside: inside === true };
  },
  done: ({ inside }) => (inside ? "/?bienvenida=1" : "/login?registro=1"),
});

// Content blockers may stop `google-redirect.js` or `google.js` because of their names. The form works without them.
config().then(async ({ google }) => {
  if (google) await (await import("../google-redirect.js")).redirectButton(google, "signup_with");
  else element("google-section").hidden = true;
}).catch(async () => {
  (await import("../script.js")).blocked("google-section", "El registro con Google no está disponible. Usa el formulario, o permite google.js en tu bloqueador de contenidos y recarga la página.");
});
