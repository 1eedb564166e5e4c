import { wire } from "../form.js";
import { nameProblem } from "../rules.js";
import { lost, signedIn } from "../session.js";
import { account, element, notify } from "../site.js";
import { working } from "../working.js";

const list = element("passkeys", HTMLElement);
const moment = new Intl.DateTimeFormat("es", { dateStyle: "long", timeStyle: "short" });

const user = await signedIn();
/** The guard of each call. */
const mine = { account: user?.id };
if (user) {
  await show();
  wire({
    form: element("create", HTMLFormElement),
    doing: "Sigue los pasos…",
    check: ({ name }) => ({ name: nameProblem(name) && "Escribe un nombre de hasta 200 caracteres" }),
    send: ({ name }) => account.createPasskey(name.trim(), mine),
    done: () => void created(),
    failed: ({ code }) => lost(code),
  });
}

/** Loads the passkeys and shows them. */
async function show() {
  const result = await account.passkeys(mine);
  if (!result.ok) return failed(result);
  const only = result.passkeys.length === 1;
  list.replaceChildren(...result.passkeys.map((passkey) => entry(passkey, only)));
}

async function created() {
  element("create", HTMLFormElement).reset();
  await show();
  notify("La próxima vez elige la llave al escribir tu email.", "good", { heading: "Llave de acceso creada" });
  element("notice", HTMLElement).focus();
}

/**
 * A passkey of the list, with a button that asks before it removes the passkey.
 * @param {import("../../client/types.js").Passkey} passkey
 * @param {boolean} only  Whether the account has no other one.
 */
function entry({ id, name, createdAt, lastUsedAt }, only) {
  const item = document.createElement("li");
  const head = Object.assign(document.createElement("strong"), { textContent: name });
  const used = lastUsedAt ? `Último uso: ${moment.format(lastUsedAt)}.` : "Sin usar.";
  const times = Object.assign(document.createElement("p"), { className: "hint", textContent: `${used} Creada: ${moment.format(createdAt)}.` });
  const words = document.createElement("div");
  words.append(head, times);
  const button = Object.assign(document.createElement("button"), { type: "button", className: "button plain", textContent: "Eliminar" });
  button.setAttribute("aria-label", `Eliminar la llave ${name}`);
  const warning = Object.assign(document.createElement("p"), { className: "hint" });
  warning.setAttribute("role", "status");
  words.append(warning);
  let isSure = false;
  button.addEventListener("click", () => {
    if (isSure) return remove(button, id);
    isSure = true;
    warning.textContent = only
      ? "Es tu única llave de acceso. Sin ella entrarás con tu contraseña o con Google; si no recuerdas la contraseña, puedes pedir un enlace."
      : "Dejará de servir para entrar. Bórrala también en tu dispositivo.";
    button.textContent = "Sí, eliminar";
    button.setAttribute("aria-label", `Sí, eliminar la llave ${name}`);
  });
  item.append(words, button);
  return item;
}

/**
 * Removes a passkey and shows the list again. One that another tab has removed already is not in it any more.
 * @param {HTMLButtonElement} button
 * @param {string} id
 */
function remove(button, id) {
  return working(button, "Eliminando…", async () => {
    const result = await account.removePasskey(id, mine);
    if (!result.ok && result.code !== "unknown-passkey") return failed(result);
    await show();
    notify(result.ok ? "Llave de acceso eliminada" : "Esa llave ya estaba eliminada", "good");
    element("notice", HTMLElement).focus();
  });
}

/** @param {import("../../client/types.js").Failure} failure */
function failed({ code, message }) {
  if (!lost(code)) notify(message);
}
