// Proofs of work for a service that is its own captcha provider (ALTCHA, version 2, with PBKDF2). They are
// computed outside the page's thread.

import { account } from "./site.js";

/** Milliseconds for which a proof is kept. A challenge can be solved for five minutes. */
const PROOF_AGE = 4 * 60 * 1000;
/** Keys that are computed at once. */
const PARALLEL = 4;
const COUNTER_BYTES = 4;

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
  return asked.ok ? solve(asked.challenge) : undefined;
}

/** Finds a counter whose key has the prefix. Returns the token for the login. @param {import("../client/types.js").Challenge} challenge */
async function solve(challenge) {
  const { cost, keyLength, keyPrefix, nonce, salt } = challenge.parameters;
  const derivation = { name: "PBKDF2", hash: "SHA-256", salt: bytes(salt), iterations: cost };
  /** @param {number} counter */
  const keyOf = async (counter) => {
    const password = new Uint8Array([...bytes(nonce), ...new Uint8Array(COUNTER_BYTES)]);
    new DataView(password.buffer).setUint32(password.length - COUNTER_BYTES, counter);
    const material = await crypto.subtle.importKey("raw", password, "PBKDF2", false, ["deriveBits"]);
    return hex(await crypto.subtle.deriveBits(derivation, material, keyLength * 8));
  };
  for (let first = 0; ; first += PARALLEL) {
    const counters = Array.from({ length: PARALLEL }, (_, place) => first + place);
    const keys = await Promise.all(counters.map(keyOf));
    const place = keys.findIndex((key) => key.startsWith(keyPrefix));
    if (place >= 0) return btoa(JSON.stringify({ challenge, solution: { counter: first + place, derivedKey: keys[place] } }));
  }
}

/** @param {string} text */
const bytes = (text) => new Uint8Array((text.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)));

/** @param {ArrayBuffer} buffer */
const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
