// Shared by all pages: the client of the service, the deployment's settings, notices, and the check that a user is signed in.

import { accountClient } from "./account.js";

export const account = accountClient();

/** The only paths to which the login page may lead. Others could come from an attacker's link. */
const RETURNS = ["/", "/perfil", "/sesiones", "/eliminar-cuenta"];

/**
 * The optional features of this deployment, from `/config.json`. If a feature is absent, its script is not loaded.
 * @typedef {object} Config
 * @property {{ clientId: string, script: string }} [google]  The OAuth client's id and the address of Google's script.
 * @property {{ provider: "recaptcha" | "hcaptcha" | "turnstile", siteKey: string } | { provider: "altcha" }} [captcha]
 */

/** @type {Promise<Config> | undefined} */
let known;

/** Loads the settings once per page. */
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

/**
 * Shows a notice above the page's content, or removes it if `text` is empty. Screen readers announce the notice.
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

/** The address of the login page with a parameter that leads back to this page. */
export const loginAddress = () => `/login?volver=${encodeURIComponent(location.pathname)}`;

/** The path to open after a login. */
export function destination() {
  const wanted = new URLSearchParams(location.search).get("volver") ?? "";
  return RETURNS.includes(wanted) ? wanted : "/";
}

/**
 * Returns the signed-in user and shows the page's content, which is hidden until then. Without a session it redirects to
 * the login page, which leads back here. If the service cannot be reached, it shows an error and returns nothing.
 * @returns {Promise<import("./account.js").User | undefined>}
 */
export async function signedIn() {
  // Reload a page that the browser restores from its cache, because the user may have signed out since.
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
