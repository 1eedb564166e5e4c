// Writes the credentials of password managers that cannot do it themselves: `passkeys.js` loads this module for one.

/** The bytes of an answer, and the functions that give more of a new credential. */
const BYTES = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
const GIVEN = ["Transports", "AuthenticatorData", "PublicKey", "PublicKeyAlgorithm"];

/** @param {any} credential */
export function byHand(credential) {
  const { id, rawId, type = "public-key", authenticatorAttachment, response } = credential;
  /** @type {Record<string, unknown>} */
  const parts = {};
  for (const name of BYTES) if (response[name]) parts[name] = text(response[name]);
  for (const name of GIVEN) parts[name[0]?.toLowerCase() + name.slice(1)] ??= text(attempt(response, `get${name}`));
  const clientExtensionResults = attempt(credential, "getClientExtensionResults") ?? {};
  return { id, rawId: text(rawId), type, authenticatorAttachment: authenticatorAttachment ?? undefined, clientExtensionResults, response: parts };
}

/** Calls a function that may be missing or fail. @param {any} object @param {string} name */
function attempt(object, name) {
  try {
    return object[name]() ?? undefined;
  } catch {
    return undefined;
  }
}

/** Bytes in base64url, and anything else unchanged. @param {any} value */
function text(value) {
  if (value?.byteLength === undefined) return value;
  const bytes = new Uint8Array(value.buffer ?? value, value.byteOffset ?? 0, value.byteLength);
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
}
