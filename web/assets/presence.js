// Asks for a proof that the person who has signed in is still there, in a dialog. The page behind it keeps what has been typed.
// `site.js` loads this module when the service wants a proof.

import { deadline } from "../client/request.js";
import { config, installed } from "./config.js";
import { styled } from "./dialog.js";
import { address, enterAgain } from "./enter-again.js";
import { near, wire } from "./form.js";
import { shown } from "./session.js";
import { account, create, element, notify, titled } from "./site.js";
import { working } from "./working.js";

/** @import { GuardedOptions, Proof, Result } from "../client/types.js" */

/** Milliseconds until the dialog is shown without knowing what the account has. */
const PATIENCE = 3_000;

/** What is told of each wrong proof. */
const WRONG = {
  password: "La contraseña no es correcta. Revísala e inténtalo de nuevo.",
  passkey: "Esa llave de acceso no es de esta cuenta o ya no sirve. Prueba con otra. Si la eliminaste y tu dispositivo la sigue ofreciendo, bórrala en sus ajustes de contraseñas.",
  google: "Esa no es la cuenta de Google con la que entras aquí. Elige la tuya.",
};

/** Gives true if the refused call is worth repeating. @type {import("../client/types.js").OnConfirm} */
export async function ask(asked) {
  const [ways] = await Promise.all([waysOf(asked), styled()]);
  // Then the repeated call tells the page that the session has ended or changed.
  if (!ways) return true;
  return new Promise((resolve) => open(asked, ways, resolve));
}

/**
 * What the account can prove itself with. What the service does not tell in time counts as there. Gives nothing if the session has
 * ended or changed.
 * @param {GuardedOptions} asked
 */
async function waysOf(asked) {
  const { signal, clear } = deadline(PATIENCE);
  const options = { ...asked, signal };
  const [sessions, passkeys] = await Promise.all([account.sessions(options), account.passkeys(options)]).finally(clear);
  if (lost(sessions) || lost(passkeys)) return undefined;
  return {
    password: !sessions.ok || sessions.hasPassword,
    passkey: "PublicKeyCredential" in globalThis && (!passkeys.ok || passkeys.passkeys.length > 0),
    google: !sessions.ok || sessions.googleLinked,
  };
}

/** @param {Result} result */
const lost = (result) => !result.ok && (result.code === "no-session" || result.code === "session-changed");

/**
 * Shows the dialog, and answers once.
 * @param {GuardedOptions} mine
 * @param {{ password: boolean, passkey: boolean, google: boolean }} ways
 * @param {(proved: boolean) => void} resolve
 */
function open(mine, ways, resolve) {
  // It also cancels what is going on as soon as the question is over.
  const over = new AbortController();
  const dialog = create("dialog", { className: "card" });
  const heading = create("h2", { id: "presence-heading", textContent: "Confirma que eres tú", tabIndex: -1 });
  const text = create("p", { id: "presence-text", textContent: "Hace un rato que entraste. Lo pedimos por si otra persona usa este dispositivo." });
  dialog.setAttribute("aria-labelledby", heading.id);
  dialog.setAttribute("aria-describedby", text.id);
  const notice = create("div", { className: "notice", role: "status", tabIndex: -1 });
  const passkey = create("button", { type: "button", className: "button plain", textContent: "Usar una llave de acceso", hidden: !ways.passkey });
  const cancel = create("button", { type: "button", className: "button text", textContent: "Cancelar" });
  const form = ways.password ? passwordForm() : undefined;
  dialog.append(heading, text, form ?? notice, passkey, googleSection(ways.google), cancel, loginAgain(mine));
  form?.prepend(notice);
  document.body.append(dialog);
  const here = near(dialog);

  /** @param {boolean} proved */
  const answer = (proved) => {
    over.abort();
    stop();
    resolve(proved);
    dialog.close();
  };
  // Whoever signs in or out in another tab ends the question, and the repeated call tells what has become of the session.
  const stop = account.onSessionChange(({ type }) => { if (type !== "changed") answer(true); });
  dialog.addEventListener("close", () => {
    if (!over.signal.aborted) answer(false);
    titled(false);
    dialog.remove();
  });
  cancel.addEventListener("click", () => answer(false));

  /** @param {Proof} proof @param {string} wrong */
  const prove = async (proof, wrong) => {
    const result = await account.confirm(proof, { ...mine, signal: over.signal });
    return !result.ok && result.code === "not-confirmed" ? { ...result, message: wrong } : result;
  };
  /** Whether the dialog is not needed any more. @param {Result} result */
  const settled = (result) => {
    if (over.signal.aborted) return true;
    if (!result.ok && !lost(result)) return false;
    answer(true);
    return true;
  };
  /** Shows why another way than the password gave no proof. @param {Result} result */
  const told = (result) => {
    if (settled(result) || result.ok) return true;
    const { code, message } = result;
    notify(message, code.startsWith("passkey") ? "info" : "bad", here);
    if (code === "passkeys-unsupported") {
      passkey.hidden = true;
      notice.focus();
    }
    return false;
  };

  if (form) wire({
    form,
    doing: "Confirmando…",
    check: ({ password }) => ({ password: password ? "" : "Escribe tu contraseña." }),
    send: ({ password }) => prove({ password }, WRONG.password),
    done: () => answer(true),
    failed: settled,
  });
  passkey.addEventListener("click", () => working(passkey, "Esperando a tu llave…", async () => {
    notify("", "bad", here);
    return told(await prove({ passkey: true }, WRONG.passkey));
  }, { ...here, person: true }));
  chosen = async (credential) => {
    if (over.signal.aborted) return;
    notify("Confirmando con Google…", "info", here);
    told(await prove({ credential }, WRONG.google));
  };
  dialog.showModal();
  if (ways.passkey) account.preparePasskeyLogin();
  const field = form?.elements.namedItem("password");
  (field instanceof HTMLInputElement ? field : ways.passkey ? passkey : heading).focus();
  const only = !form && !ways.passkey;
  if (only) notify("Cargando Google…", "info", here);
  (ways.google ? offerGoogle() : Promise.resolve(false)).then((offered) => {
    if (only && !over.signal.aborted) notify(offered ? "" : "Aquí no puedes confirmarlo ahora. Inicia sesión de nuevo.", "info", here);
  });
}

/** Takes Google's answer for the dialog that is open. @type {(credential: string) => void} */
let chosen = () => {};

/** The form of the password. A password manager finds the account's address in it. */
function passwordForm() {
  const form = create("form", { method: "post", noValidate: true });
  const address = create("input", { className: "unseen", type: "text", autocomplete: "username", tabIndex: -1, readOnly: true, value: shown?.email ?? "", ariaHidden: "true" });
  const field = create("div", { className: "field" });
  const secret = create("div", { className: "secret" });
  const input = create("input", { id: "presence-password", name: "password", type: "password", autocomplete: "current-password", required: true });
  const problem = create("p", { className: "problem", id: "presence-password-problem" });
  const hint = create("p", { className: "hint", id: "presence-password-hint", textContent: "Nunca te pediremos tu contraseña por correo ni por teléfono." });
  input.setAttribute("aria-describedby", `${problem.id} ${hint.id}`);
  secret.append(input);
  field.append(create("label", { htmlFor: input.id, textContent: "Contraseña" }), secret, hint, problem);
  form.append(address, field, create("button", { type: "submit", className: "button", textContent: "Confirmar" }));
  return form;
}

/** The place of Google's button. @param {boolean} linked */
function googleSection(linked) {
  const section = create("section", { id: "google-section", className: "room", ariaLabel: "Google", hidden: !linked });
  section.append(create("div", { className: "google", id: "google" }));
  return section;
}

/** Draws Google's button, if the deployment has it. Gives whether it is there. */
async function offerGoogle() {
  try {
    const { google } = await config();
    if (!google || installed()) {
      element("google-section").hidden = true;
      return false;
    }
    const { button } = await import("./google.js");
    /** @param {{ credential: string }} answer  Of Google's window. */
    const callback = ({ credential }) => chosen(credential);
    return await button(google, { ux_mode: "popup", callback }, "continue_with");
  } catch {
    // A content blocker may stop `google.js` because of its name.
    return false;
  }
}

/** The way for those who cannot give any of the proofs here: a login is one too. @param {GuardedOptions} mine */
function loginAgain({ account: id }) {
  const words = create("p", { className: "hint", textContent: "¿No puedes? " });
  const link = create("a", { href: address(), textContent: "Inicia sesión de nuevo" });
  link.addEventListener("click", (event) => {
    event.preventDefault();
    enterAgain(id);
  });
  words.append(link);
  return words;
}
