import { mailedLink, spend } from "../mailed.js";
import { account, element, notify } from "../site.js";
import { working } from "../working.js";

const { token, fault } = mailedLink();

/**
 * Replaces the question by what has become of it.
 * @param {string} heading
 * @param {string} message
 * @param {"good" | "bad"} [tone]
 */
function finish(heading, message, tone = "bad") {
  element("heading").textContent = heading;
  notify(message, tone);
  element("content").hidden = true;
  element(tone === "good" ? "onward" : "again").hidden = false;
  element("heading").focus();
}

const useless = () => finish("Este enlace ya no sirve", "Ya se ha usado o ha caducado. Cada enlace sirve una sola vez y durante poco tiempo.");

if (fault === "broken") {
  finish("Este enlace no sirve", "No está completo. Ábrelo otra vez desde el correo.");
} else if (fault === "used") useless();
// A click is needed, because programs that check mails open their links.
const button = element("verify", HTMLButtonElement);
button.addEventListener("click", () => working(button, "Verificando…", async () => {
  const result = await account.verifyEmail(token);
  if (result.ok || result.code === "invalid-token") spend(token);
  if (result.ok) finish("Email verificado", "Gracias por confirmarlo. Ya puedes cerrar esta página o seguir al inicio.", "good");
  else if (result.code === "invalid-token") useless();
  else notify(result.message);
}));
