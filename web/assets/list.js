// A list that belongs to the account: what the page shows while the list loads, and if it cannot be loaded.

import { handleLoss } from "./session.js";
import { element, notify } from "./site.js";
import { working } from "./working.js";

/**
 * Loads the list and shows it. Returns false if that has failed; then the page says so, together with what has been done `before`.
 * @template T
 * @param {() => Promise<import("../client/types.js").Result<T>>} load
 * @param {(result: T) => void} draw
 * @param {string} [before]
 * @returns {Promise<boolean>}
 */
export async function show(load, draw, before) {
  const [content, waiting] = [element("content"), element("waiting")];
  const retry = element("retry", HTMLButtonElement);
  const first = !content.dataset.loaded;
  content.hidden = first;
  waiting.hidden = !first;
  const result = await load();
  waiting.hidden = true;
  if (!result.ok && handleLoss(result.code)) return false;
  retry.hidden = result.ok;
  if (result.ok) {
    content.hidden = false;
    content.dataset.loaded = "yes";
    draw(result);
    return true;
  }
  notify(`${before ?? "No se ha podido cargar la lista."} ${result.message}`);
  retry.onclick = () => working(retry, "Cargando…", async () => { if (await show(load, draw)) notify(""); });
  return false;
}
