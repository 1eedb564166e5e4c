// Where the link "No he sido yo" of each notice leads: one press protects the account.

import { isDone, mailedLink, outcome, spend } from "../mailed.js";
import { refresh } from "../menu.js";
import { account, element, notify } from "../site.js";
import { working } from "../working.js";

/** Milliseconds until the page says that the answer is slow. */
const SLOW = 5_000;

const { token, fault, done } = mailedLink();

const locked = () => outcome(
  "Tu cuenta está protegida",
  "Ya no hay sesiones abiertas. Hemos quitado la contraseña y las llaves de acceso, y te hemos enviado un correo.",
  "good",
  "done",
);

/** @param {string} heading @param {string} message */
const useless = (heading, message) => outcome(heading, message, "bad", "again");
// The link may have done its work although its answer was lost.
const used = () => useless(
  "Este enlace ya no sirve",
  "Ya se ha usado o ha caducado. Si ya has protegido tu cuenta con él, busca en tu correo el enlace para elegir otra contraseña.",
);

if (done) locked();
else if (fault === "broken") useless("Este enlace no sirve", "No está completo. Ábrelo otra vez desde el correo.");
else if (fault === "used") used();
// A click is needed, because programs that check mails open their links. The clock of this device does not decide.
const button = element("lock", HTMLButtonElement);
button.addEventListener("click", () => working(button, "Protegiendo…", async () => {
  notify("");
  const slow = setTimeout(() => notify("Está tardando más de lo normal. No cierres esta página.", "info"), SLOW);
  const result = await account.lockAccount(token);
  clearTimeout(slow);
  if (result.ok || isDone(token)) {
    spend(token, true);
    locked();
    // The session of this browser may have been one of the account's.
    refresh();
  } else if (result.code === "invalid-token") {
    spend(token);
    used();
  } else notify(result.message);
}));
