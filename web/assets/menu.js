// The menu of every page, and the notice that the connection is lost.

import { unloaded } from "../client/failures.js";
import { account, element, notify, report, session } from "./site.js";
import { EMAIL, forget } from "./storage.js";

const button = element("logout", HTMLButtonElement);
button.addEventListener("click", () => leave(button));
// A click before this point would be lost.
button.disabled = false;

/** Ends the session. @param {HTMLButtonElement} pressed @param {import("./types.js").More} [more] */
export const leave = (pressed, more) => import("./logout.js").then(({ logout }) => logout(pressed, more), async (error) => report(await unloaded(error), more));

/** Shows the links for whoever is signed in, or for guests. @param {boolean} known */
export function show(known) {
  for (const item of document.querySelectorAll("[data-for]")) {
    if (item instanceof HTMLElement) item.hidden = (item.dataset.for === "user") !== known;
  }
}

/** @param {Awaited<ReturnType<typeof session>>} result */
function update(result) {
  if (result.ok) forget(EMAIL);
  // A failed call does not tell whether somebody is signed in, so the menu stays as it is.
  if (result.ok || result.code === "no-session") show(result.ok);
  return result;
}

session().then(update);
/** Asks again who is signed in. */
export const refresh = () => account.session().then(update);
// The user may have signed in or out since the browser put the page into its cache.
addEventListener("pageshow", ({ persisted }) => { if (persisted) refresh(); });
// The pages for signed-in users find out by themselves.
if (!document.getElementById("waiting")) document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") refresh(); });

const place = element("notice");
/** What the notice said when the connection was lost. @type {{ look: string, parts: Node[] } | undefined} */
let before;
addEventListener("offline", () => {
  before ??= { look: place.className, parts: [...place.childNodes] };
  notify("Sin conexión. Lo que envíes ahora no llegará. Desaparecerá cuando vuelva la conexión.", "info");
});
addEventListener("online", () => {
  if (before && place.textContent?.startsWith("Sin conexión.")) {
    place.className = before.look;
    place.replaceChildren(...before.parts);
  }
  before = undefined;
});

// Without one of its modules, the page would wait for ever.
addEventListener("load", () => {
  for (const script of document.querySelectorAll("script[type=module]")) if (script instanceof HTMLScriptElement) import(script.src).catch(() => {
    document.getElementById("waiting")?.remove();
    notify("No ha llegado una parte de esta página. Recárgala para seguir.", "info", { way: { text: "Recargar", look: "button" } });
  });
});
