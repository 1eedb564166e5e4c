import { account, element, notify } from "../site.js";

// First remove the token from the address bar and from the browser's history.
const token = new URLSearchParams(location.search).get("token") ?? "";
history.replaceState(null, "", location.pathname);

/**
 * Replaces the question by what has become of it.
 * @param {string} message
 * @param {"good" | "bad"} kind
 */
function finish(message, kind) {
  notify(message, kind);
  element("content", HTMLElement).hidden = true;
  element("again", HTMLElement).hidden = kind === "good";
  element("notice", HTMLElement).focus();
}

const useless = () => finish("El enlace no es válido o ha caducado. Pide otro en tu perfil.", "bad");

if (!token) useless();
// A click is needed, because programs that check mails open their links.
const button = element("verify", HTMLButtonElement);
button.addEventListener("click", async () => {
  button.disabled = true;
  const result = await account.verifyEmail(token);
  if (result.ok) return finish("Tu dirección de correo está verificada", "good");
  if (result.message === "Token inválido o expirado") return useless();
  button.disabled = false;
  notify(result.message);
});
