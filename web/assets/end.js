// Warns before the session ends however much it is used: `idle.js` calls this some time after the page has been loaded.

import { enterAgain } from "./enter-again.js";
import { shown } from "./session.js";
import { account } from "./site.js";
import { BROWSER, SINCE, keep, kept } from "./storage.js";
import { warning } from "./warning.js";

/** Milliseconds between two looks at the clock, and from the warning to the end, or a quarter of the lifetime. */
const [STEP, NOTICE] = [60_000, 15 * 60_000];
/** The service notes a use of the session so many milliseconds late at most, or half of the time of the warning. */
const PRECISION = 10 * 60_000;

/** @param {number} seconds  The lifetime of a session. @returns {() => void}  Ends it. */
export function watchEnd(seconds) {
  const life = seconds * 1_000;
  const notice = Math.min(NOTICE, life / 4);
  /** @type {HTMLDialogElement | undefined} */
  let dialog;
  let asking = false;
  const look = async () => {
    const since = kept(SINCE, BROWSER);
    if (dialog || asking || !since || Date.now() - Number(since) < life - notice) return;
    asking = true;
    const age = await ageOf();
    asking = false;
    if (age === undefined) return;
    // The device's clock may have been set, and another page may have opened the session.
    keep(SINCE, String(Date.now() - age), BROWSER);
    if (age < life - notice - Math.min(PRECISION, notice / 2)) return;
    const shows = warning("Entraste hace tiempo. Por seguridad, se cierra en unos minutos, aunque la uses. Si entras de nuevo, seguirás aquí y no perderás lo que hayas escrito.", "Entrar de nuevo", "Ahora no");
    dialog = shows.dialog;
    shows.first.addEventListener("click", () => enterAgain(shown?.id));
    shows.second.addEventListener("click", () => shows.dialog.close());
    shows.dialog.addEventListener("close", () => shows.dialog.remove());
  };
  const timer = setInterval(look, STEP);
  look();
  return () => {
    clearInterval(timer);
    dialog?.remove();
  };
}

/** The milliseconds between the login and the last use, by the clock of the service. */
async function ageOf() {
  const result = await account.sessions(shown && { account: shown.id });
  const session = result.ok ? result.sessions.find(({ current }) => current) : undefined;
  return session && session.lastSeenAt.getTime() - session.createdAt.getTime();
}
