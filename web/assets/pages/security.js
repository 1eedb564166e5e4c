import { clear, near } from "../form.js";
import { confirmationProblem, passwordProblem } from "../rules.js";
import { reveal, section, unfold } from "../section.js";
import { handleLoss, keepEdits, signedIn } from "../session.js";
import { account, element, notify } from "../site.js";
import { tell } from "../tell.js";
import { working } from "../working.js";

/** What is shown of the activity at first. */
const FIRST = 5;
const UNKNOWN = "No se ha podido comprobar.";
const day = new Intl.DateTimeFormat("es", { dateStyle: "medium" });

const address = element("account", HTMLInputElement);
const user = await signedIn(undefined, (user) => {
  account.onSessionChange((change) => {
    if (change.type !== "changed") return;
    if (change.email) address.value = change.email;
    load(user);
  });
  activity(user);
  return load(user);
});
if (user) {
  const mine = { account: user.id };
  element("email").textContent = address.value = user.email;
  await keepEdits([
    section("email-form", async ({ email }) => (await import("../new-email.js")).ask(email, user), undefined, "Enviando…"),
    section(
      "password-form",
      async ({ password, confirmation }) => {
        const result = await account.changeSettings({ password, confirmation }, mine);
        if (!result.ok) return result;
        ["password", "confirmation"].forEach((field) => clear(element(field, HTMLInputElement)));
        load(user);
        return { ok: true, told: "Contraseña guardada. Las demás sesiones se han cerrado." };
      },
      ({ password, confirmation }) => ({ password: passwordProblem(password), confirmation: confirmationProblem(password, confirmation) }),
    ),
  ]);
  const others = element("others", HTMLButtonElement);
  const there = near(others.parentElement);
  others.addEventListener("click", () => working(others, "Cerrando…", async () => {
    const result = await account.closeOtherSessions(mine);
    if (!result.ok) return tell(result, there);
    notify("Las demás sesiones se han cerrado. Revisa ahora la contraseña y las llaves.", "good", there);
    there.place?.focus();
    await load(user);
  }, there));
  reveal();
  // An address that was typed before is shown.
  if (element("new-email", HTMLInputElement).value) unfold(element("correo"));
}

/** @param {string} part @param {string} text @param {"good" | "bad" | ""} [look] */
function state(part, text, look = "") {
  const place = element(`${part}-state`);
  place.textContent = text;
  place.className = `state ${look}`;
}

/** Shows what opens the account, and who is in it. @param {import("../../client/types.js").User} user */
async function load(user) {
  const mine = { account: user.id };
  const [result, keys] = await Promise.all([account.sessions(mine), account.passkeys(mine)]);
  if (keys.ok) state("llaves", keys.passkeys.length ? `${keys.passkeys.length}` : "Ninguna", keys.passkeys.length ? "good" : "");
  const text = element("verification-text");
  if (!result.ok) {
    if (!handleLoss(result.code)) text.textContent = element("google-text").textContent = UNKNOWN;
    return;
  }
  const { sessions, emailVerified, hasPassword, passwordSetAt, googleLinked } = result;
  const only = sessions.length === 1;
  state("sesiones", only ? "Solo esta" : `${sessions.length} abiertas`, only ? "good" : "");
  element("others").hidden = only;
  state("contrasena", passwordSetAt ? `Desde el ${day.format(passwordSetAt)}` : hasPassword ? "Elegida" : "No tienes", hasPassword ? "good" : "");
  element("no-password").hidden = hasPassword;
  // Without its module there is no button.
  google(googleLinked, mine).catch(() => {});
  const button = element("verification", HTMLButtonElement);
  const verified = () => {
    state("correo", "Verificado", "good");
    text.textContent = "Tu email ya está verificado.";
    button.hidden = true;
  };
  if (emailVerified) return verified();
  state("correo", "Sin verificar", "bad");
  text.textContent = "Confirma que el email es tuyo. Te enviaremos un enlace.";
  button.hidden = false;
  const more = near(button.parentElement);
  button.onclick = () => working(button, "Enviando…", async () => (await import("../verification.js")).sendHere(button, user, text, verified, more), more);
}

/** @param {boolean} linked @param {{ account: number }} mine */
async function google(linked, mine) {
  const choice = element("google-choice");
  state("google", linked ? "Vinculado" : "Sin vincular", linked ? "good" : "");
  element("google-text").textContent = linked ? "Puedes entrar con tu cuenta de Google." : "Para vincularlo, inicia sesión con la cuenta de Google de este email.";
  if (!linked) return choice.replaceChildren();
  (await import("../unlink.js")).offer(choice, mine, () => {
    google(false, mine);
    activity({ id: mine.account });
  });
}

/** Shows the activity, or says that it is not known. @param {{ id: number }} user */
async function activity({ id }) {
  const text = element("activity-text");
  const [result, words] = await Promise.all([account.activity({ account: id }), import("../activity.js").catch(() => undefined)]);
  if (!result.ok || !words) {
    if (result.ok || !handleLoss(result.code)) text.textContent = UNKNOWN;
    return;
  }
  const [list, more] = [element("activity"), element("activity-more", HTMLButtonElement)];
  const all = result.activity.map(words.entry);
  text.textContent = all.length ? "" : "Aún no hay actividad.";
  list.replaceChildren(...all.slice(0, FIRST));
  more.hidden = all.length <= FIRST;
  more.onclick = () => {
    list.replaceChildren(...all);
    more.hidden = true;
    element("actividad-heading").focus();
  };
}
