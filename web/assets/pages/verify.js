import { press } from "../press.js";
import { account } from "../site.js";

press({
  doing: "Verificando…",
  send: (token) => account.verifyEmail(token),
  done: ["Email verificado", "Gracias por confirmarlo. Ya puedes cerrar esta página o seguir al inicio."],
  used: "Ya se ha usado o ha caducado. Cada enlace sirve una sola vez y durante poco tiempo.",
});
