// What becomes of a page when an account has changed in another tab: `session.js` loads this module then.

import { handleLoss, keepTyped, shown } from "./session.js";
import { account } from "./site.js";

/** If the session has another address now, the page is loaded again, with what has been typed. */
export async function look() {
  const now = await account.session();
  if (!now.ok) handleLoss(now.code);
  else if (now.user.id !== shown?.id) handleLoss("session-changed");
  else if (now.user.email !== shown.email) {
    await keepTyped();
    location.reload();
  }
}
