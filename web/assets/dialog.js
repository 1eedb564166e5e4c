// What the dialogs of the pages share.

import { create } from "./site.js";

/** Milliseconds until a dialog is shown without its styles. */
const PATIENCE = 3_000;

/** @type {Promise<unknown> | undefined} */
let styles;

/** Loads the styles, which pages need only with a dialog. Waits for them, but not for ever. */
export const styled = () => (styles ??= new Promise((resolve) => {
  const link = create("link", { rel: "stylesheet", href: "/assets/dialog.css" });
  link.addEventListener("load", resolve);
  link.addEventListener("error", resolve);
  setTimeout(resolve, PATIENCE);
  document.head.append(link);
}));
