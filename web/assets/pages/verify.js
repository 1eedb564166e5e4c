import { press } from "../press.js";
import { account, element } from "../site.js";

/** @param {number} number @param {string} one @param {string} many */
const counted = (number, one, many) => `${number} ${number === 1 ? one : many}`;

press({
  doing: "Verificando…",
  send: (token) => account.verifyEmail(token),
  done: ["Email verificado", "Gracias por confirmarlo. Ya puedes cerrar esta página o ir al inicio."],
  used: "Ya se ha usado o ha caducado. Sirve una sola vez y durante 24 horas.",
  after: ({ sessions, passkeys }) => {
    if (sessions === undefined) return;
    element("open").textContent = `Tu cuenta tiene ${counted(sessions, "sesión abierta", "sesiones abiertas")} y ${counted(passkeys, "llave de acceso", "llaves de acceso")}.`;
  },
});
