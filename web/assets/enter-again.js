// Leads to the login although somebody is signed in, and back. What is typed on the page is kept.

import { installed } from "./config.js";
import { ending, keepTyped } from "./session.js";
import { account, loginAddress } from "./site.js";

export const address = () => `${loginAddress()}&reciente`;

/** @param {number} [id]  The account that is signed in. */
export async function enterAgain(id) {
  // There, Google signs in only those who are signed out.
  if (installed()) await ending(() => account.logout(id === undefined ? {} : { account: id }));
  await keepTyped();
  location.assign(address());
}
