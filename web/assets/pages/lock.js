// Where the link "No he sido yo" of each notice leads: one press protects the account.

import { refresh } from "../menu.js";
import { press } from "../press.js";
import { account } from "../site.js";

press({
  doing: "Protegiendo…",
  send: (token) => account.lockAccount(token),
  done: ["Tu cuenta está protegida", "Ya no hay sesiones abiertas. Hemos quitado la contraseña y las llaves de acceso, y te hemos enviado un correo."],
  // The link may have done its work although its answer was lost.
  used: "Ya se ha usado o ha caducado. Si ya has protegido tu cuenta con él, busca en tu correo el enlace para elegir otra contraseña.",
  // The session of this browser may have been one of the account's.
  after: refresh,
});
