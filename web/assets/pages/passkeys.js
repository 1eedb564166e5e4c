import { near, wire } from "../form.js";
import { show } from "../list.js";
import { question } from "../question.js";
import { nameProblem } from "../rules.js";
import { handleLoss, keepEdits, signedIn } from "../session.js";
import { account, create, element, notify } from "../site.js";
import { tell } from "../tell.js";
import { working } from "../working.js";

const list = element("passkeys");
const moment = new Intl.DateTimeFormat("es", { dateStyle: "medium", timeStyle: "short" });

const user = await signedIn();
const mine = { account: user?.id ?? 0 };
if (user) {
  const form = wire({
    form: element("create", HTMLFormElement),
    doing: "Confirma que eres tú…",
    person: true,
    check: ({ name }) => ({ name: name.trim() ? nameProblem(name) : "Escribe un nombre para la llave." }),
    send: ({ name }) => {
      notify("");
      return account.createPasskey(name.trim(), mine);
    },
    done: () => void created(),
    failed: ({ code }) => handleLoss(code),
  });
  // So that the browser's question follows the press at once.
  form.addEventListener("focusin", () => account.preparePasskey(mine));
  await keepEdits([form]);
  await load();
}

/** @param {string} [before] */
function load(before) {
  return show(() => account.passkeys(mine), ({ passkeys }) => {
    list.replaceChildren(...passkeys.map((passkey) => entry(passkey, passkeys.length === 1)));
    element("none").hidden = passkeys.length > 0;
  }, before);
}

async function created() {
  element("create", HTMLFormElement).reset();
  if (await load("Llave de acceso creada.")) {
    notify("Llave de acceso creada. La próxima vez, elígela al escribir tu email o pulsa «Entrar con una llave de acceso».", "good");
  }
  element("notice").focus();
}

/** A passkey with a button that asks before it removes it. @param {import("../../client/types.js").Passkey} passkey @param {boolean} only */
function entry({ id, name, createdAt, lastUsedAt }, only) {
  const used = lastUsedAt ? `Último uso: ${moment.format(lastUsedAt)}` : "Aún sin usar";
  const loss = only
    ? "Es tu única llave de acceso. Sin ella entrarás con tu contraseña o con Google; si no recuerdas la contraseña, puedes pedir un enlace. Se cerrarán tus demás sesiones."
    : "Dejará de servir para entrar, y se cerrarán tus demás sesiones.";
  const { warning, choice } = question({ text: "Eliminar", name: ` la llave ${name}`, loss, no: "No, conservarla", act: (button) => remove(button, id) });
  const words = document.createElement("div");
  words.append(
    create("strong", { textContent: name }),
    create("p", { className: "hint", textContent: `${used}\nCreada: ${moment.format(createdAt)}` }),
    warning,
  );
  const item = document.createElement("li");
  item.append(words, choice);
  return item;
}

/** @param {HTMLButtonElement} button @param {string} id */
function remove(button, id) {
  // What became of the last attempt to create one is over.
  notify("", "info", near(document.getElementById("create")));
  return working(button, "Eliminando…", async () => {
    const result = await account.removePasskey(id, mine);
    // Another tab may have removed it already.
    if (!result.ok && result.code !== "unknown-passkey") return tell(result);
    const told = result.ok ? "Llave de acceso eliminada. Hemos cerrado tus demás sesiones. Si tu dispositivo la sigue ofreciendo, bórrala en sus ajustes de contraseñas." : "Esa llave ya estaba eliminada.";
    if (await load(told)) notify(told, "good");
    element("notice").focus();
  });
}
