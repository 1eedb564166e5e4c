// Every designed state of the pages. Each is reached once; then its pictures are compared and axe checks it.

import { GUEST } from "./guest.mjs";
import { PASSKEYS } from "./passkeys.mjs";
import { PRESENCE } from "./presence.mjs";
import { USER } from "./user.mjs";

/**
 * @typedef {object} State
 * @property {string} at  The address.
 * @property {string} heading  The only visible main heading.
 * @property {string} [text]  A text that is visible as soon as the state is reached.
 * @property {boolean} [bad]  Whether the title mentions an error.
 * @property {boolean} [user]  Whether Ana is signed in.
 * @property {string} [stack]  Another stack than the usual one.
 * @property {boolean} [script]  False if the browser runs no scripts. Then the page says so.
 * @property {boolean} [still]  Whether the page's clock stands still.
 * @property {(page: import("@playwright/test").Page) => unknown} [before]  What happens before the page is opened.
 * @property {(page: import("@playwright/test").Page) => unknown} [reach]  What happens on the page.
 * @property {string} [part]  The element at the top of the pictures.
 */

/** The states by name. The name of a page's first state is the page's. */
export const STATES = { ...GUEST, ...USER, ...PASSKEYS, ...PRESENCE };
