// What has happened to the account, in the words of the pages.

import { create } from "./site.js";

/** @import { Activity } from "../client/types.js" */

const moment = new Intl.DateTimeFormat("es", { dateStyle: "medium", timeStyle: "short" });
const METHODS = { google: "con Google", passkey: "con llave de acceso", password: "con contraseña" };
/** @type {Record<Activity["kind"], string>} */
const WORDS = {
  "account-disabled": "Cuenta bloqueada por el servicio",
  "account-enabled": "Cuenta desbloqueada por el servicio",
  "account-exported": "Datos descargados",
  "account-locked": "Cuenta protegida con «No he sido yo»",
  "email-changed": "Email cambiado",
  "email-verified": "Email verificado",
  "google-linked": "Google vinculado",
  "google-unlinked": "Google desvinculado",
  "login": "Inicio de sesión",
  "login-refused": "Intento de entrar fallido",
  "passkey-created": "Llave de acceso creada",
  "passkey-removed": "Llave de acceso eliminada",
  "password-changed": "Contraseña cambiada",
  "password-removed": "Contraseña quitada",
  "registered": "Cuenta creada",
};

/** @param {Activity} activity */
export function entry({ kind, method, count, browser, at }) {
  const how = kind === "login" && method ? ` ${METHODS[method]}` : "";
  const often = count > 1 ? ` (${count} veces en una hora)` : "";
  const words = document.createElement("div");
  words.append(
    create("strong", { textContent: (WORDS[kind] ?? "Cambio en la cuenta") + how + often }),
    create("p", { className: "hint", textContent: [moment.format(at), browser].filter(Boolean).join(" · ") }),
  );
  const item = document.createElement("li");
  item.append(words);
  return item;
}
