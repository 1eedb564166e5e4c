// The menu of every page, and the notice that the connection is lost.

import { account, element, notify, session } from "./site.js";
import { EMAIL, forget } from "./storage.js";

const button = element("logout", HTMLButtonElement);
button.addEventListener("click", async () => (await import("./logout.js")).logout(button));
// A click before this point would be lost.
button.disabled = false;

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
addEventListener("offline", () => notify("Sin conexión. Lo que envíes ahora no llegará. Desaparecerá cuando vuelva la conexión.", "info"));
addEventListener("online", () => { if (place.textContent?.startsWith("Sin conexión.")) notify(""); });
