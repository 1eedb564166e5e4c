import { nameOf, picture } from "../avatars.js";
import { lost, signedIn } from "../session.js";
import { account, element, notify } from "../site.js";
import { OFFER, kept } from "../storage.js";
import { knownAsVerified, sendVerification } from "../verification.js";
import { working } from "../working.js";

const user = await signedIn();
if (user) {
  element("greeting", HTMLElement).textContent = `Hola, ${user.name}`;
  element("portrait", HTMLImageElement).src = picture(nameOf(user.avatarUrl));
  element("email", HTMLElement).textContent = user.email;
  element("news", HTMLElement).textContent = user.acceptsNews ? "Sí" : "No";
  if (new URLSearchParams(location.search).has("bienvenida")) {
    history.replaceState(null, "", "/");
    notify("Cuenta creada. Ya has iniciado sesión.", "good", { heading: "Te damos la bienvenida" });
  }
  if (kept(OFFER)) import("../passkey-offer.js").then(({ offer }) => offer(user.id)).catch(() => {});
  await (knownAsVerified(user.id) ? reviewSessions(user.id) : verifyAddress(user.id));
}

/** @param {string} heading @param {string} text @param {string} control  The id of the button or link. */
function suggest(heading, text, control) {
  element("next-heading", HTMLElement).textContent = heading;
  element("next-text", HTMLElement).textContent = text;
  for (const id of ["next-button", "next-link"]) element(id, HTMLElement).hidden = id !== control;
}

/** @param {number} id */
function verifyAddress(id) {
  suggest("Confirma que tu dirección es tuya", "Así sabemos que los avisos sobre tu cuenta te llegan a ti. Si ya la verificaste, te lo diremos.", "next-button");
  const button = element("next-button", HTMLButtonElement);
  button.addEventListener("click", () => working(button, "Enviando…", async () => {
    if (await sendVerification(id)) await reviewSessions(id);
  }));
}

/** @param {number} id */
async function reviewSessions(id) {
  const result = await account.sessions({ account: id });
  if (!result.ok) return void (lost(result.code) || notify(result.message));
  const count = result.sessions.length;
  if (count > 1) suggest(`Tienes ${count} sesiones abiertas`, "Mira si las reconoces todas y cierra las que no uses.", "next-link");
  else suggest("Todo en orden", "Tu dirección está verificada y solo tienes abierta esta sesión.", "next-link");
}
