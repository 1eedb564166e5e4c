import { MESSAGES, createAccountClient } from "../client/index.js";

export { MESSAGES };

/** @import { Failure } from "../client/types.js" */
/** @import { More, Tone } from "./types.js" */

// A slash at the end of an address changes nothing.
const { origin, pathname, search, hash } = location;
if (/[^/]\/+$/.test(pathname)) history.replaceState(history.state, "", origin + pathname.replace(/\/+$/, "") + search + hash);

/** What happens on the page when the service has answered a call, which may have used the session. */
export const ANSWERED = "answered";

export const account = createAccountClient({
  fetch: async (...call) => {
    const response = await fetch(...call);
    if (response.ok) dispatchEvent(new Event(ANSWERED));
    return response;
  },
  onConfirm: async (asked) => (await import("./presence.js")).ask(asked),
});

/** @type {ReturnType<typeof account.session> | undefined} */
let asked;

/** Asks once per page who is signed in. */
export const session = () => (asked ??= account.session());

/** @template {HTMLElement} [T=HTMLElement] @param {string} id @param {new () => T} [kind] @returns {T} */
export function element(id, kind = /** @type {any} */ (HTMLElement)) {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`#${id} is missing`);
}

/** @template {keyof HTMLElementTagNameMap} Tag @param {Tag} tag @param {Partial<HTMLElementTagNameMap[Tag]>} values @returns {HTMLElementTagNameMap[Tag]} */
export const create = (tag, values) => Object.assign(document.createElement(tag), values);

const title = document.title;

/** Says in the title whether there is an error, because screen readers read the title first. @param {boolean} bad */
export function titled(bad) {
  document.title = bad ? `Error: ${title}` : title;
}

/** Shows a notice, whose first sentence stands out, or removes it if `text` is empty. @param {string} text @param {Tone} [tone] @param {More} [more] */
export function notify(text, tone = "bad", { way, place = element("notice") } = {}) {
  // An `info` notice in a part of the page does not change the title.
  if (tone !== "info" || place.id === "notice") titled(text !== "" && tone === "bad");
  place.className = `notice ${tone}`;
  if (!text) return place.replaceChildren();
  const first = text.replace(/\. .*/, ".");
  const body = create("p", { textContent: text.slice(first.length) });
  body.prepend(create("strong", { textContent: first }));
  if (way) body.append(" ", link(way));
  place.replaceChildren(body);
  place.scrollIntoView({ block: "nearest" });
}

/** @param {NonNullable<More["way"]>} way */
function link({ href = "", text, look = "" }) {
  const made = create("a", { href, textContent: text, className: look });
  // A link to the page itself would lose the state of its place in the history.
  if (!href) made.addEventListener("click", (event) => {
    event.preventDefault();
    location.reload();
  });
  return made;
}

/** Says why a call has failed. What nobody has done wrong is no error. @param {Pick<Failure, "code" | "message">} failure @param {More} [more] */
export function report({ code, message }, more) {
  /** @type {More} */
  const way = code === "outdated" ? { way: { text: "Recargar", look: "button" } } : /^locked|^misconfigured/.test(code) ? { way: { href: "/ayuda#contacto", text: "Contacto" } } : {};
  notify(message, /^passkey|^unproved|^outdated/.test(code) ? "info" : "bad", { ...more, ...way });
}

/** The address of the login, which leads back to this part of the page. */
export const loginAddress = () => `/login?volver=${encodeURIComponent(location.pathname + location.hash)}`;
