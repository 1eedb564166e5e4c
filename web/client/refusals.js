// How refusals become codes: `request.js` loads this module after one.

/** @import { Code, Failure, Field } from "./types.js" */

/**
 * The code of each refusal in the service's OpenAPI document, and the parameter that it is about.
 * @type {Readonly<Record<string, readonly [Code, Field?]>>}
 */
export const REFUSALS = {
  "Email o contraseña incorrectas": ["wrong-credentials"],
  "El email ya está registrado": ["email-taken", "email"],
  "Introduce un email válido": ["invalid-email", "email"],
  "El campo email es obligatorio": ["email-required", "email"],
  "La contraseña debe tener al menos 8 caracteres, una mayúscula y un número": ["weak-password", "password"],
  "La contraseña es demasiado común": ["common-password", "password"],
  "Las contraseñas no coinciden": ["passwords-differ", "confirmation"],
  "Debe aceptar los términos y condiciones": ["terms-required", "terms"],
  "No existe una cuenta con ese email": ["unknown-email", "email"],
  "Hemos enviado demasiados correos. Inténtalo mañana": ["too-many-mails"],
  "Crea antes una contraseña o una llave de acceso": ["only-way-in"],
  "Cuenta protegida. Contacta con nosotros para recuperarla": ["locked-without-link"],
  "Token inválido o expirado": ["invalid-token", "token"],
  "Captcha inválido": ["invalid-captcha", "captcha"],
  "Credencial inválida": ["invalid-credential", "credential"],
  "Llave de acceso inválida": ["invalid-passkey"],
  "No se pueden guardar más llaves de acceso": ["too-many-passkeys"],
  "No hay una sesión activa": ["no-session"],
  "No hay una sesión activa con email.": ["no-session"],
  "Confirma que eres tú": ["unproved"],
  "No hemos podido confirmar que eres tú": ["not-confirmed"],
  "Parámetros inválidos": ["invalid-request"],
  "Invalid JSON": ["invalid-request", "entries"],
  "Entry too large": ["too-large", "entries"],
  "Request Entity Too Large": ["too-large"],
  "Acceso prohibido": ["misconfigured"],
  "Access denied": ["misconfigured"],
  "Método no permitido": ["misconfigured"],
  "Not Found": ["misconfigured"],
  "Error interno del servidor": ["unavailable"],
};

/** The codes of answers that are not in the document, such as those of a proxy. `byStatus` has the rest. */
const STATUSES = /** @type {Record<number, Code>} */ ({
  400: "invalid-request", 401: "no-session", 404: "misconfigured", 405: "misconfigured", 413: "too-large", 429: "too-many-requests",
});

/**
 * The code of a refusal, and the parameter that it is about, or that nobody has the passkey.
 * @param {number} status @param {any} answer  Nothing if it is not JSON.
 * @returns {[Code, Pick<Failure, "field" | "unknown">?]}
 */
export function reason(status, answer) {
  const [code, field] = (Object.hasOwn(REFUSALS, answer?.message) && REFUSALS[answer.message]) || [byStatus(status, answer)];
  return [code, answer?.unknown ? { unknown: true } : field && { field }];
}

/** @param {number} status @param {any} answer @returns {Code} */
function byStatus(status, answer) {
  // A firewall that limits requests answers 403 without JSON. It lets the same call pass later.
  if (status === 403) return answer ? "misconfigured" : "too-many-requests";
  return STATUSES[status] ?? "unavailable";
}
