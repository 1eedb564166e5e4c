// Where the link that is mailed to a new address leads: one press makes it the address of the account.

import { refresh } from "../menu.js";
import { press } from "../press.js";
import { account, element, session } from "../site.js";
import { EMAIL, forget } from "../storage.js";

/** Says who is signed in here, because the link may be of another account. @param {Awaited<ReturnType<typeof session>>} now */
function tell(now) {
  document.querySelectorAll(".who").forEach((place) => { place.textContent = now.ok ? now.user.email : ""; });
  return now;
}

/** Says whether the link was of the account that is signed in here: then it has another address now. */
async function compare() {
  const before = await session();
  const now = tell(await refresh());
  if (!before.ok || !now.ok || before.user.id !== now.user.id) return;
  const own = before.user.email !== now.user.email;
  element("which").textContent = own ? "Aquí sigues dentro." : "El enlace era de otra cuenta. Para entrar en ella, cierra antes esta sesión.";
  if (own) return;
  const on = element("on", HTMLAnchorElement);
  [on.href, on.textContent] = ["/", "Seguir con esta sesión"];
}

press({
  doing: "Cambiando…",
  send: (token) => account.confirmEmail({ token }),
  done: ["Email cambiado", "Entra desde ahora con el nuevo. Hemos cerrado las demás sesiones y avisado al email anterior, desde donde se puede deshacer durante 72 horas."],
  used: "Ya se ha usado o ha caducado. Sirve una sola vez y durante 24 horas. Si ya lo habías confirmado, entra con el email nuevo.",
  after: () => {
    // The login would offer the address that was typed before.
    forget(EMAIL);
    compare();
  },
});
session().then(tell);
