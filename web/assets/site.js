import { MESSAGES, createAccountClient } from "../client/index.js";
import { deadline } from "../client/request.js";

export { MESSAGES };

export const account = createAccountClient();

/** @type {ReturnType<typeof account.session> | undefined} */
let asked;

/** Asks once per page who is signed in. The menu and the page's own script use the same answer. */
export const session = () => (asked ??= account.session());

/** The only paths to which the login page may lead. Others could come from an attacker's link. */
const RETURNS = ["/", "/perfil", "/llaves", "/sesiones", "/eliminar-cuenta"];

/** @type {Promise<import("./types.js").Config> | undefined} */
let known;

/** Milliseconds until a page goes on without the settings. */
const PATIENCE = 10_000;

/** Loads the settings of this deployment once per page. */
export const config = () => (known ??= settings());

/** @returns {Promise<import("./types.js").Config>} */
async function settings() {
  const { signal, clear } = deadline(PATIENCE);
  try {
    const response = await fetch("/config.json", { signal });
    return response.ok ? await response.json() : {};
  } catch {
    return {};
  } finally {
    clear();
  }
}

/** @template {HTMLElement} T @param {string} id @param {new () => T} kind @returns {T} */
export function element(id, kind) {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`#${id} is missing`);
}

const title = document.title;

/** Says in the title whether there is an error, because screen readers read the title first. @param {boolean} bad */
export function titled(bad) {
  document.title = bad ? `Error: ${title}` : title;
}

const HEADINGS = { good: "Hecho", bad: "Algo no ha ido bien", info: "Aviso" };

/**
 * Shows a notice, or removes it if `text` is empty. Screen readers announce the notice.
 * @param {string} text
 * @param {import("./types.js").Tone} [tone]
 * @param {import("./types.js").More} [more]
 */
export function notify(text, tone = "bad", { heading = HEADINGS[tone], way, place = element("notice", HTMLElement) } = {}) {
  // A notice in the place of a feature leaves the title.
  if (tone !== "info" || place.id === "notice") titled(text !== "" && tone === "bad");
  for (const each of Object.keys(HEADINGS)) place.classList.toggle(each, each === tone);
  if (!text) return place.replaceChildren();
  const [head, body] = [document.createElement("p"), document.createElement("p")];
  Object.assign(head, { className: "notice-title", textContent: heading });
  body.textContent = text;
  if (way) body.append(" ", Object.assign(document.createElement("a"), { href: way.href, textContent: way.text }));
  place.replaceChildren(head, body);
  place.scrollIntoView({ block: "nearest" });
}

/** The address of the login page, which leads back to this page. */
export const loginAddress = () => `/login?volver=${encodeURIComponent(location.pathname)}`;

/** The path to open after a login. */
export function destination() {
  const wanted = new URLSearchParams(location.search).get("volver") ?? "";
  return RETURNS.includes(wanted) ? wanted : "/";
}
