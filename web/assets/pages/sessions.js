import { account, element, loginAddress, notify, signedIn } from "../site.js";

const list = element("sessions", HTMLElement);
const others = element("others", HTMLButtonElement);
const moment = new Intl.DateTimeFormat("es", { dateStyle: "long", timeStyle: "short" });

if (await signedIn()) {
  await show();
  others.addEventListener("click", () => end(others, account.closeOtherSessions));
}

/** Loads the sessions and shows them. */
async function show() {
  const result = await account.sessions();
  if (!result.ok) return failed(result);
  list.replaceChildren(...result.sessions.map(entry));
  others.hidden = result.sessions.length < 2;
}

/**
 * A session of the list, with a button that ends it.
 * @param {import("../account.js").Session} session
 */
function entry({ id, browser, created_at, last_seen_at, current }) {
  const item = document.createElement("li");
  const name = document.createElement("strong");
  name.textContent = current ? `${browser} (esta sesión)` : browser;
  const times = document.createElement("p");
  times.className = "hint";
  times.textContent = `Último uso: ${date(last_seen_at)}. Abierta: ${date(created_at)}.`;
  item.append(name, times);
  if (!current) {
    const close = document.createElement("button");
    close.type = "button";
    close.className = "button plain";
    close.textContent = "Cerrar";
    close.setAttribute("aria-label", `Cerrar la sesión de ${browser}, usada el ${date(last_seen_at)}`);
    close.addEventListener("click", () => end(close, () => account.closeSession(id)));
    item.append(close);
  }
  return item;
}

/** @param {string} time */
function date(time) {
  return moment.format(new Date(time));
}

/**
 * Ends sessions and shows the list again. A session that another tab has ended already is not in it any more.
 * @param {HTMLButtonElement} button
 * @param {() => Promise<import("../account.js").Result<{}>>} call
 */
async function end(button, call) {
  button.disabled = true;
  const result = await call();
  button.disabled = false;
  if (!result.ok && result.reason !== "invalid") return failed(result);
  await show();
  notify(result.ok ? result.message : "Esa sesión ya estaba cerrada", "good");
  element("notice", HTMLElement).focus();
}

/** @param {import("../account.js").Failure} failure */
function failed({ reason, message }) {
  if (reason === "unauthenticated") location.replace(loginAddress());
  else notify(message);
}
