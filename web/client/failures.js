// Why a call failed: the codes and their messages.

/** @import { Code, Failure, Result } from "./types.js" */

/** A message in Spanish for each code. */
export const MESSAGES = Object.freeze({
  "wrong-credentials": "El email o la contraseña no son correctos. Revísalos e inténtalo de nuevo.",
  "outdated-password": "Esa contraseña no cumple las reglas de ahora. Revísala o, si era la tuya, elige otra en «¿Has olvidado tu contraseña?».",
  "email-taken": "Ya hay una cuenta con ese email. Inicia sesión o usa otro.",
  "invalid-email": "Escribe un email válido, como ana@example.com.",
  "email-required": "Escribe tu email.",
  "weak-password": "Usa al menos 8 caracteres, una mayúscula y un número.",
  "common-password": "Esa contraseña es demasiado común. Elige otra.",
  "passwords-differ": "Las contraseñas no coinciden. Escribe la misma dos veces.",
  "terms-required": "Acepta los términos y condiciones para continuar.",
  "unknown-email": "No hay ninguna cuenta con ese email. Revísalo o crea una cuenta.",
  "locked-without-link": "Tu cuenta está cerrada. Contacta con nosotros.",
  "too-many-mails": "Hemos enviado demasiados correos. Inténtalo mañana.",
  "invalid-token": "El enlace no es válido o ha caducado. Pide otro.",
  "invalid-captcha": "No hemos podido comprobar que no eres un robot. Inténtalo de nuevo o recarga la página.",
  "invalid-credential": "Google no ha confirmado tu cuenta. Inténtalo de nuevo.",
  "invalid-passkey": "Esa llave de acceso no sirve aquí. Prueba con otra o entra con tu contraseña.",
  "passkey-cancelled": "No se ha completado la operación con la llave de acceso. Inténtalo de nuevo cuando quieras.",
  "passkey-exists": "Este dispositivo ya tiene una llave de acceso de tu cuenta. Ya puedes entrar con ella.",
  "passkeys-unsupported": "Este navegador no puede usar llaves de acceso aquí.",
  "too-many-passkeys": "Ya tienes 20 llaves de acceso. Elimina alguna para crear otra.",
  "unknown-passkey": "Esa llave de acceso ya estaba eliminada. Recarga la lista.",
  "only-way-in": "Es tu única forma de entrar. Crea antes una contraseña o una llave de acceso.",
  "not-linked": "Google ya estaba desvinculado. Recarga la página.",
  "no-session": "Tu sesión ha terminado. Inicia sesión de nuevo.",
  "unproved": "Falta confirmar que eres tú. Inténtalo de nuevo cuando quieras.",
  "not-confirmed": "No hemos podido confirmar que eres tú. Revísalo o prueba de otra forma.",
  "session-changed": "En este navegador hay ahora otra cuenta abierta. Recarga la página para seguir con ella.",
  "unknown-session": "Esa sesión ya estaba cerrada. Recarga la lista.",
  "too-large": "Los datos ocupan demasiado. Envía menos.",
  "invalid-request": "Algún dato no es válido. Revísalo e inténtalo de nuevo.",
  "network": "No se ha podido conectar. Comprueba tu conexión e inténtalo de nuevo.",
  "offline": "No tienes conexión a internet. Conéctate e inténtalo de nuevo.",
  "outdated": "Hay una versión nueva de esta página. Recárgala para seguir.",
  "timeout": "El servicio tarda demasiado en responder. Inténtalo de nuevo en unos minutos.",
  "aborted": "La operación se ha cancelado. Inténtalo de nuevo si quieres.",
  "misconfigured": "Esta página está mal configurada. Avísanos.",
  "too-many-requests": "Hay demasiadas peticiones. Espera un minuto e inténtalo de nuevo.",
  "unavailable": "El servicio no está disponible ahora. Inténtalo de nuevo en unos minutos.",
});

/** @param {Code} code @param {Pick<Failure, "field" | "cause" | "unknown">} [more] @returns {Failure} */
export const failure = (code, more) => ({ ok: false, code, message: MESSAGES[code], ...more });

/** A result without what the service has answered. @param {Result} result @returns {Result} */
export const done = (result) => (result.ok ? { ok: true } : result);

/**
 * A result, with this failure in place of a refusal that names no reason.
 * @template R @param {R | Failure} result @param {Code} code @param {Pick<Failure, "field">} [more] @returns {R | Failure}
 */
export const refusedAs = (result, code, more) => (/** @type {Failure} */ (result).code === "invalid-request" ? failure(code, more) : result);

/** The failure of a request. @param {unknown} cause */
export const unanswered = (cause) => failure(globalThis.navigator?.onLine === false ? "offline" : "network", { cause });

/** Milliseconds in which the server of the modules must answer. */
const REACHED = 5_000;

/** The failure of a module that is loaded later. If its server answers, a new deployment has removed or changed it. @param {unknown} cause */
export async function unloaded(cause) {
  const lost = unanswered(cause);
  if (lost.code !== "network") return lost;
  // Safari does not name the module.
  const [module] = /https?:\S+/.exec(`${cause}`) ?? [import.meta.url];
  return fetch(module, { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(REACHED) })
    .then(() => failure("outdated", { cause }), () => lost);
}
