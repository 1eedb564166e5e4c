// Where the link that is mailed to a new address leads: one press makes it the address of the account.

import { refresh } from "../menu.js";
import { press } from "../press.js";
import { account, session } from "../site.js";
import { EMAIL, forget } from "../storage.js";

/** Says who is signed in here, because the link may be of another account. @param {Awaited<ReturnType<typeof session>>} now */
const tell = (now) => document.querySelectorAll(".who").forEach((place) => { place.textContent = now.ok ? now.user.email : ""; });

press({
  doing: "Cambiando…",
  send: (token) => account.confirmEmail({ token }),
  done: ["Email cambiado", "Entra desde ahora con el nuevo. Hemos cerrado las demás sesiones y avisado al email anterior, desde donde se puede deshacer durante 72 horas."],
  used: "Ya se ha usado o ha caducado. Sirve una sola vez y durante 24 horas. Si ya lo habías confirmado, entra con el email nuevo.",
  after: () => {
    // The login would offer the address that was typed before.
    forget(EMAIL);
    refresh().then(tell);
  },
});
session().then(tell);
