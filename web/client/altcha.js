// Proofs of work (ALTCHA, version 2, with PBKDF2), computed outside the page's thread.

/** @import { CallOptions, Challenge } from "./types.js" */

const AT_ONCE = 4;
const COUNTER_BYTES = 4;

/**
 * Finds a counter whose key has the challenge's prefix, and gives the token for `login`. Needs a secure context (`crypto.subtle`).
 * Throws the reason of the signal.
 * @param {Challenge} challenge @param {CallOptions} [options] @returns {Promise<string>}
 */
export async function solveChallenge(challenge, { signal } = {}) {
  const { cost, keyLength, keyPrefix, nonce, salt } = challenge.parameters;
  const derivation = { name: "PBKDF2", hash: "SHA-256", salt: bytes(salt), iterations: cost };
  /** @param {number} counter */
  const keyOf = async (counter) => {
    const password = new Uint8Array([...bytes(nonce), ...new Uint8Array(COUNTER_BYTES)]);
    new DataView(password.buffer).setUint32(password.length - COUNTER_BYTES, counter);
    const material = await crypto.subtle.importKey("raw", password, "PBKDF2", false, ["deriveBits"]);
    return hex(await crypto.subtle.deriveBits(derivation, material, keyLength * 8));
  };
  for (let first = 0; ; first += AT_ONCE) {
    signal?.throwIfAborted();
    const counters = Array.from({ length: AT_ONCE }, (_, place) => first + place);
    const keys = await Promise.all(counters.map(keyOf));
    const place = keys.findIndex((key) => key.startsWith(keyPrefix));
    if (place >= 0) return btoa(JSON.stringify({ challenge, solution: { counter: first + place, derivedKey: keys[place] } }));
  }
}

/** @param {string} text */
const bytes = (text) => new Uint8Array((text.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)));

/** @param {ArrayBuffer} buffer */
const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
