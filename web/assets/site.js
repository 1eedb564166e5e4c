// What all pages share: the service, the site's settings, and who may be where.

import { accountClient } from "./account.js";

export const account = accountClient();

/** Where a page may send a person after the login: never to an address that somebody else made up. */
const RETURNS = ["/", "/perfil", "/eliminar-cuenta"];

/**
 * What this deployment has besides the service, `/config.json`. What is absent is not used, and nothing of it is loaded.
 * @typedef {object} Config
 * @property {{ clientId: string, script: string }} [google]  The OAuth client, and the address of Google's script.
 * @property {{ provider: "recaptcha" | "hcaptcha" | "turnstile", siteKey: string }} [captcha]
 */

/** @type {Promise<Config> | undefined} */
let known;

/** Asks for it once a page. */
export const config = () => (known ??= asked());

/** @returns {Promise<Config>} */
async function asked() {
  try {
    const response = await fetch("/config.json");
    return response.ok ? await response.json() : {};
  } catch {
    return {};
  }
}

/**
 * The element with an id of this page.
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

/**
 * Shows a sentence above the page's content; empty takes it away. Screen readers say it.
 * @param {string} text
 * @param {"good" | "bad"} [tone]
 */
export function notify(text, tone = "bad") {
  const notice = element("notice", HTMLElement);
  notice.classList.toggle("good", tone === "good");
  notice.classList.toggle("bad", tone === "bad");
  notice.textContent = text;
  if (text) notice.scrollIntoView({ block: "nearest" });
}

/** The login page's address that leads back here. */
export const loginAddress = () => `/login?volver=${encodeURIComponent(location.pathname)}`;

/** Where to go after a login. */
export function destination() {
  const wanted = new URLSearchParams(location.search).get("volver") ?? "";
  return RETURNS.includes(wanted) ? wanted : "/";
}

/**
 * Who is signed in, for a page that is for them alone: whoever is not goes to the login page, and comes back. The page's
 * content is hidden until then. Nobody when the service cannot be reached, which the page then says.
 * @returns {Promise<import("./account.js").User | undefined>}
 */
export async function signedIn() {
  // What the browser kept of the page is not shown again: its person may have left since.
  addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });
  const result = await account.session();
  element("waiting", HTMLElement).hidden = true;
  if (result.ok && result.user?.id) {
    element("content", HTMLElement).hidden = false;
    element("logout", HTMLElement).addEventListener("click", logout);
    return result.user;
  }
  if (result.ok || result.reason === "unauthenticated") {
    location.replace(loginAddress());
    return undefined;
  }
  notify(result.message);
  element("retry", HTMLElement).hidden = false;
  element("retry", HTMLElement).addEventListener("click", () => location.reload());
  return undefined;
}

async function logout() {
  const result = await account.logout();
  if (result.ok) location.assign("/login?salida=1");
  else notify(result.message);
}
