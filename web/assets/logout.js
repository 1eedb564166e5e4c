// Ends the session when the user presses the button in the menu.

import { ending, handleLoss, shown } from "./session.js";
import { account, report } from "./site.js";
import { working } from "./working.js";

/** @param {HTMLButtonElement} button @param {import("./types.js").More} [more] */
export const logout = (button, more) => working(button, "Saliendo…", async () => {
  const result = await ending(() => account.logout(shown && { account: shown.id }));
  if (result.ok) location.assign("/login?salida=1");
  else if (!handleLoss(result.code)) report(result, more);
  return result.ok;
}, more);
