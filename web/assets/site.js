// Shared by all pages: the client of the service, the deployment's settings, and notices.

import { MESSAGES, createAccountClient } from "../client/index.js";

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

/** Loads the settings of this deployment once per page. */
export const config = () => (known ??= settings());

/** @returns {Promise<import("./types.js").Config>} */
async function settings() {
  try {
    const response = await fetch("/config.json");
    return response.ok ? await response.json() : {};
  } catch {
    return {};
  }
}

/**
 * Returns the page's element with this id.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
export function element(id, kind) {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`#${id} is missing`);
}

const title = document.title;

/**
 * Says in the page's title whether there is an error, because screen readers read the title first.
 * @param {boolean} bad
 */
export function titled(bad) {
  document.title = bad ? `Error: ${title}` : title;
}

const HEADINGS = { good: "Hecho", bad: "Algo no ha ido bien" };

/**
 * Shows a notice, or removes it if `text` is empty. Screen readers announce the notice.
 * @param {string} text
 * @param {"good" | "bad"} [tone]
 * @param {import("./types.js").More} [more]
 */
export function notify(text, tone = "bad", { heading = HEADINGS[tone], way, place = element("notice", HTMLElement) } = {}) {
  titled(text !== "" && tone === "bad");
  place.classList.toggle("good", tone === "good");
  place.classList.toggle("bad", tone === "bad");
  if (!text) return place.replaceChildren();
  const [head, body] = [document.createElement("p"), document.createElement("p")];
  Object.assign(head, { className: "notice-title", textContent: heading });
  body.textContent = text;
  if (way) body.append(" ", Object.assign(document.createElement("a"), { href: way.href, textContent: way.text }));
  place.replaceChildren(head, body);
  place.scrollIntoView({ block: "nearest" });
}

/**
 * Says something in the place of a feature, so that the page's notice stays.
 * @param {string} id
 * @param {string} text
 */
export function sayAt(id, text) {
  const place = element(id, HTMLElement);
  place.textContent = text;
  // The place itself is hidden, or its section.
  place.closest("[hidden]")?.removeAttribute("hidden");
}

/** The address of the login page with a parameter that leads back to this page. */
export const loginAddress = () => `/login?volver=${encodeURIComponent(location.pathname)}`;

/** The path to open after a login. */
export function destination() {
  const wanted = new URLSearchParams(location.search).get("volver") ?? "";
  return RETURNS.includes(wanted) ? wanted : "/";
}
