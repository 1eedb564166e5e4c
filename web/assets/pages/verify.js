import { isDone, mailedLink, outcome, spend } from "../mailed.js";
import { account, element, notify } from "../site.js";
import { working } from "../working.js";

const { token, fault, done } = mailedLink();

const verified = () => outcome("Email verificado", "Gracias por confirmarlo. Ya puedes cerrar esta página o seguir al inicio.", "good", "onward");

/** @param {string} heading @param {string} message */
const useless = (heading, message) => outcome(heading, message, "bad", "again");
const used = () => useless("Este enlace ya no sirve", "Ya se ha usado o ha caducado. Cada enlace sirve una sola vez y durante poco tiempo.");

if (done) verified();
else if (fault === "broken") useless("Este enlace no sirve", "No está completo. Ábrelo otra vez desde el correo.");
else if (fault === "used") used();
// A click is needed, because programs that check mails open their links.
const button = element("verify", HTMLButtonElement);
button.addEventListener("click", () => working(button, "Verificando…", async () => {
  const result = await account.verifyEmail(token);
  if (result.ok || isDone(token)) {
    spend(token, true);
    verified();
  } else if (result.code === "invalid-token") {
    spend(token);
    used();
  } else notify(result.message);
}));
