import { show } from "../list.js";
import { signedIn } from "../session.js";
import { account, create, element, notify } from "../site.js";
import { tell } from "../tell.js";
import { working } from "../working.js";

const list = element("sessions");
const others = element("others", HTMLButtonElement);
/** @param {"short" | "medium"} timeStyle  To the minute, or to the second. */
const moments = (timeStyle) => new Intl.DateTimeFormat("es", { dateStyle: "medium", timeStyle });

const user = await signedIn();
const mine = { account: user?.id ?? 0 };
let count = 0;
if (user) {
  await load();
  others.addEventListener("click", () => end(others, () => account.closeOtherSessions(mine), count > 2 ? "Sesiones cerradas." : "Sesión cerrada."));
}

/** @param {string} [before] */
function load(before) {
  return show(() => account.sessions(mine), ({ sessions }) => {
    // Equal browsers are told apart by their times, to the second if need be.
    const minutes = moments("short");
    const seen = new Set(sessions.map(({ browser, lastSeenAt }) => browser + minutes.format(lastSeenAt)));
    const moment = seen.size < sessions.length ? moments("medium") : minutes;
    list.replaceChildren(...[...sessions].sort((one, other) => Number(other.current) - Number(one.current)).map((session) => entry(session, moment)));
    count = sessions.length;
    others.hidden = element("advice").hidden = count < 2;
    element("only").hidden = count > 1;
  }, before);
}

/** @param {import("../../client/types.js").Session} session @param {Intl.DateTimeFormat} moment */
function entry({ id, browser, createdAt, lastSeenAt, current }, moment) {
  const item = document.createElement("li");
  const words = document.createElement("div");
  words.append(
    create("strong", { textContent: current ? `${browser} (esta sesión)` : browser }),
    create("p", { className: "hint", textContent: `Último uso: ${moment.format(lastSeenAt)}\nAbierta: ${moment.format(createdAt)}` }),
  );
  item.append(words);
  if (!current) {
    const close = create("button", { type: "button", className: "button plain", textContent: "Cerrar" });
    close.setAttribute("aria-label", `Cerrar la sesión de ${browser}, usada el ${moment.format(lastSeenAt)} y abierta el ${moment.format(createdAt)}`);
    close.addEventListener("click", () => end(close, () => account.closeSession(id, mine), "Sesión cerrada."));
    item.append(close);
  }
  return item;
}

/**
 * Ends sessions and shows the list again. Another tab may have ended one already.
 * @param {HTMLButtonElement} button
 * @param {() => Promise<import("../../client/types.js").Result>} call
 * @param {string} done
 */
function end(button, call, done) {
  return working(button, "Cerrando…", async () => {
    const result = await call();
    if (!result.ok && result.code !== "unknown-session") return tell(result);
    const told = result.ok ? done : "Esa sesión ya estaba cerrada.";
    if (await load(told)) notify(told, "good");
    element("notice").focus();
  });
}
