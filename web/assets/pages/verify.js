import { mailedLink, spend } from "../mailed.js";
import { account, element, notify } from "../site.js";
import { working } from "../working.js";

const { token, fault } = mailedLink();

/**
 * Replaces the question by what has become of it.
 * @param {string} heading
 * @param {string} message
 * @param {"good" | "bad"} tone
 * @param {import("../types.js").More} [more]
 */
function finish(heading, message, tone, more = {}) {
  element("heading").textContent = heading;
  notify(message, tone, more);
  element("content").hidden = true;
  element(tone === "good" ? "onward" : "again").hidden = false;
  element("heading").focus();
}

const useless = () => finish("Este enlace ya no sirve", "El enlace ya se ha usado o ha caducado. Pide otro en tu perfil.", "bad", { heading: "Enlace caducado" });

if (fault === "broken") {
  finish("Este enlace no sirve", "El enlace no está completo. Ábrelo otra vez desde el correo o pide otro en tu perfil.", "bad", { heading: "Enlace no válido" });
} else if (fault === "used") useless();
// A click is needed, because programs that check mails open their links.
const button = element("verify", HTMLButtonElement);
button.addEventListener("click", () => working(button, "Verificando…", async () => {
  const result = await account.verifyEmail(token);
  if (result.ok || result.code === "invalid-token") spend(token);
  if (result.ok) finish("Dirección verificada", "Tu dirección de correo está verificada", "good");
  else if (result.code === "invalid-token") useless();
  else notify(result.message);
}));
