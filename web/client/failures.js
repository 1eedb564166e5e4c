// Why a call failed: the codes, their messages, and how answers become codes.

/** A message in Spanish for each code. A front end in another language has a table of its own with the same keys. */
export const MESSAGES = Object.freeze({
  "wrong-credentials": "El email o la contraseña no son correctos. Revísalos e inténtalo de nuevo.",
  "email-taken": "Ya hay una cuenta con ese email. Inicia sesión o usa otro.",
  "invalid-email": "Escribe un email válido, como ana@example.com.",
  "email-required": "Escribe tu email.",
  "weak-password": "Usa al menos 8 caracteres, una mayúscula y un número.",
  "common-password": "Esa contraseña es demasiado común. Elige otra.",
  "passwords-differ": "Las contraseñas no coinciden. Escribe la misma dos veces.",
  "terms-required": "Acepta los términos y condiciones para continuar.",
  "unknown-email": "No hay ninguna cuenta con ese email. Revísalo o crea una cuenta.",
  "invalid-token": "El enlace no es válido o ha caducado. Pide otro.",
  "invalid-captcha": "No hemos podido comprobar que eres una persona. Inténtalo de nuevo.",
  "invalid-credential": "Google no ha confirmado tu cuenta. Inténtalo de nuevo.",
  "invalid-passkey": "Esa llave de acceso no sirve aquí. Prueba con otra o entra con tu contraseña.",
  "passkey-cancelled": "No se ha podido usar la llave de acceso. Inténtalo de nuevo cuando quieras.",
  "passkey-exists": "Este dispositivo ya tiene una llave de acceso de tu cuenta.",
  "passkeys-unsupported": "Aquí no se pueden usar llaves de acceso.",
  "too-many-passkeys": "Ya tienes 20 llaves de acceso. Elimina alguna para crear otra.",
  "unknown-passkey": "Esa llave de acceso ya estaba eliminada. Recarga la lista.",
  "no-session": "Tu sesión ha terminado. Inicia sesión de nuevo.",
  "login-too-old": "Para cerrar otras sesiones, inicia sesión de nuevo.",
  "session-changed": "En este navegador hay ahora otra cuenta abierta. Recarga la página para seguir con ella.",
  "unknown-session": "Esa sesión ya estaba cerrada. Recarga la lista.",
  "too-large": "Los datos ocupan demasiado. Envía menos.",
  "invalid-request": "Algún dato no es válido. Revísalo e inténtalo de nuevo.",
  "network": "No se ha podido conectar. Comprueba tu conexión e inténtalo de nuevo.",
  "offline": "No tienes conexión a internet. Conéctate e inténtalo de nuevo.",
  "timeout": "El servicio tarda demasiado en responder. Inténtalo de nuevo en unos minutos.",
  "aborted": "La operación se ha cancelado. Inténtalo de nuevo si quieres continuar.",
  "misconfigured": "Esta página está mal configurada. Avisa a quien la mantiene.",
  "unavailable": "El servicio no está disponible ahora. Inténtalo de nuevo en unos minutos.",
});

/** @import { Code, Failure } from "./types.js" */

/**
 * The code of each refusal in the service's OpenAPI document, and the parameter that it is about.
 * @type {Readonly<Record<string, readonly [Code, string?]>>}
 */
export const REFUSALS = Object.freeze({
  "Email o contraseña incorrectas": ["wrong-credentials"],
  "El email ya está registrado": ["email-taken", "email"],
  "Introduce un email válido": ["invalid-email", "email"],
  "El campo email es obligatorio": ["email-required", "email"],
  "La contraseña debe tener al menos 8 caracteres, una mayúscula y un número": ["weak-password", "password"],
  "La contraseña es demasiado común": ["common-password", "password"],
  "Las contraseñas no coinciden": ["passwords-differ", "confirmation"],
  "Debe aceptar los términos y condiciones": ["terms-required", "terms"],
  "No existe una cuenta con ese email": ["unknown-email", "email"],
  "Token inválido o expirado": ["invalid-token", "token"],
  "Captcha inválido": ["invalid-captcha", "captcha"],
  "Credencial inválida": ["invalid-credential", "credential"],
  "Llave de acceso inválida": ["invalid-passkey"],
  "No se pueden guardar más llaves de acceso": ["too-many-passkeys"],
  "No hay una sesión activa": ["no-session"],
  "No hay una sesión activa con email.": ["no-session"],
  "Vuelve a iniciar sesión": ["login-too-old"],
  "Parámetros inválidos": ["invalid-request"],
  "Invalid JSON": ["invalid-request", "entries"],
  "Entry too large": ["too-large", "entries"],
  "Request Entity Too Large": ["too-large"],
  "Acceso prohibido": ["misconfigured"],
  "Access denied": ["misconfigured"],
  "Método no permitido": ["misconfigured"],
  "Not Found": ["misconfigured"],
  "Error interno del servidor": ["unavailable"],
});

/** The codes of answers that are not in the document, such as those of a proxy. All others are `unavailable`. */
const STATUSES = /** @type {Record<number, Code>} */ ({
  400: "invalid-request", 401: "no-session", 404: "misconfigured", 405: "misconfigured", 413: "too-large",
});

/** @param {Code} code @param {{ field?: string, cause?: unknown }} [more] @returns {Failure} */
export const failure = (code, more = {}) => ({ ok: false, code, message: MESSAGES[code], ...more });

/**
 * @param {number} status
 * @param {any} answer  Nothing if it is not JSON.
 * @returns {Failure | undefined}
 */
export function refusal(status, answer) {
  // The login with Google answers with `status`; all other endpoints answer with `success`.
  const done = answer?.success === true || answer?.status === "exists" || answer?.status === "inserted";
  if (status === 200 && done) return undefined;
  const known = typeof answer?.message === "string" && Object.hasOwn(REFUSALS, answer.message) && status < 500;
  const [code, field] = known ? /** @type {readonly [Code, string?]} */ (REFUSALS[answer.message]) : [byStatus(status, answer)];
  return failure(code, field ? { field } : {});
}

/** @param {number} status @param {any} answer @returns {Code} */
function byStatus(status, answer) {
  // A firewall that limits requests answers 403 without JSON. It lets the same call pass later.
  if (status === 403) return answer ? "misconfigured" : "unavailable";
  return STATUSES[status] ?? "unavailable";
}
