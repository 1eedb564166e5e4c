// Proofs of work.

import { solveChallenge } from "../client/altcha.js";
import { account } from "./site.js";

/** Milliseconds for which a proof is kept. A challenge can be solved for five minutes. */
const PROOF_AGE = 4 * 60 * 1000;

/** Computes a proof when the user begins to fill in the form, so that it is ready in time. @returns {import("./types.js").Captcha} */
export function proofs() {
  let begun = 0;
  /** @type {Promise<string | undefined> | undefined} */
  let current;
  const begin = () => {
    if (current && Date.now() - begun < PROOF_AGE) return current;
    begun = Date.now();
    return (current = proof());
  };
  document.querySelector("form")?.addEventListener("focusin", begin);
  return { token: begin, reset: () => { current = undefined; } };
}

/** Nothing if the service gives no challenge: the login is then sent without a proof, and the page shows its answer. */
async function proof() {
  const asked = await account.captchaChallenge();
  return asked.ok ? solveChallenge(asked.challenge) : undefined;
}
