// Warns in every tab before the session ends because it is not used, and sees its end also after the device has slept.
// `session.js` loads this module some time after the page.

import { config } from "./config.js";
import { styled } from "./dialog.js";
import { watchEnd } from "./end.js";
import { leave as leaves } from "./menu.js";
import { handleLoss, shown } from "./session.js";
import { ANSWERED, account, notify } from "./site.js";
import { warning } from "./warning.js";
import { working } from "./working.js";

/** Seconds between two looks at the clock. */
const STEP = 10;
/** Seconds from the warning to the earliest end, or a quarter of the idle time. WCAG 2.2.1 asks for at least twenty. */
const [NOTICE, SHORTEST] = [5 * 60, 20];
/** Seconds by which a session may end too early, or half of the idle time, because the service does not note each use. */
const EARLY = 10 * 60;
/** Seconds after the idle time, when the end is certain although the last answer took some time. */
const CERTAIN = 60;

/** @type {HTMLDialogElement | undefined} */
let dialog;

/** @param {import("./types.js").Moment} last  When the session was last used. */
export async function watch(last) {
  const [{ idleSeconds: idle, absoluteSeconds: life }] = await Promise.all([config(), styled()]);
  if (!idle || !shown) return;
  const mine = shown.id;
  const stopEnd = life ? watchEnd(life) : () => {};
  const due = idle - Math.min(EARLY, idle / 2) - Math.max(SHORTEST, Math.min(NOTICE, idle / 4));
  const channel = new BroadcastChannel("session-use");
  let asking = false;

  /** Milliseconds since the last use. The device's clock may be set, and the page's own clock may stop while the device sleeps. */
  const unused = () => Math.max(Date.now() - last.date, performance.now() - last.page);
  const used = (ago = 0) => {
    last = { date: Date.now() - ago, page: performance.now() - ago };
    close();
  };
  const answered = () => {
    used();
    channel.postMessage(0);
  };
  const look = async () => {
    const seconds = unused() / 1_000;
    if (seconds < due || asking) return;
    if (seconds < idle + CERTAIN) return warn();
    // The client announces the end. If the session is used elsewhere, such as on a page of the product, this is an answer.
    asking = true;
    await account.session();
    asking = false;
  };

  channel.addEventListener("message", ({ data }) => { if (data < unused()) used(data); });
  // The other tabs do not know yet that this page has used the session.
  channel.postMessage(unused());
  addEventListener(ANSWERED, answered);
  const timer = setInterval(look, STEP * 1_000);
  const stop = account.onSessionChange((change) => {
    if (change.type === "changed") return;
    if (change.type === "signed-in" && change.account === mine) return used();
    stop();
    stopEnd();
    clearInterval(timer);
    removeEventListener(ANSWERED, answered);
    channel.close();
    close();
  });
  look();
}

function close() {
  dialog?.close();
  dialog?.remove();
  dialog = undefined;
}

/** Shows the warning. An answer in any tab closes it in all. */
function warn() {
  if (dialog) return;
  const { first: stay, second: leave, here, ...shows } = warning("Llevas un rato sin usarla. Si no sigues aquí, se cerrará en unos minutos.", "Seguir aquí", "Cerrar sesión");
  dialog = shows.dialog;
  stay.addEventListener("click", () => working(stay, "Un momento…", async () => {
    notify("", "bad", here);
    const result = await account.session();
    if (!result.ok && !handleLoss(result.code)) notify(result.message, "bad", here);
  }, here));
  leave.addEventListener("click", () => leaves(leave, here));
  // Whoever presses Escape is there.
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    stay.click();
  });
  dialog.addEventListener("close", close);
}
