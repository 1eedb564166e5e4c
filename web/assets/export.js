// The download of everything that is stored of a user.

import { account, notify } from "./site.js";
import { tell } from "./tell.js";

/** Milliseconds for which the file can be read. */
const KEPT = 60_000;

/** @param {{ account: number }} mine @param {import("./types.js").More} more */
export async function download(mine, more) {
  const result = await account.exportAccount(mine);
  if (!result.ok) return tell(result, more);
  const { ok, ...stored } = result;
  const text = JSON.stringify(stored, null, 2);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = "mis-datos.json";
  link.click();
  // The browser may read the file only after the user has chosen its place.
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT);
  notify("Datos descargados. Están en el archivo mis-datos.json.", "good", more);
}
