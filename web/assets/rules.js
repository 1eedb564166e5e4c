// The service's rules for fields, checked in the browser as well, so that users see mistakes before the form is sent.

/** Counts like the service: the length in code points, uppercase letters as Unicode defines them, the digits 0 to 9. */
export const PASSWORD_RULES = {
  length: (/** @type {string} */ password) => [...password].length >= 8,
  uppercase: (/** @type {string} */ password) => /\p{Uppercase}/u.test(password),
  digit: (/** @type {string} */ password) => /[0-9]/.test(password),
};

const EMAIL = /^[a-z0-9!#$%&'*+\-/=?^_`{|}~.]{1,64}@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]*[a-z0-9]$/i;

/** @param {string} text @returns {string} The error message, or an empty string. */
export function emailProblem(text) {
  const email = text.trim();
  if (!email) return "El campo email es obligatorio";
  return EMAIL.test(email) && email.length <= 254 ? "" : "Introduce un email válido";
}

/** @param {string} password @returns {string} */
export function passwordProblem(password) {
  return Object.values(PASSWORD_RULES).every((holds) => holds(password))
    ? "" : "La contraseña debe tener al menos 8 caracteres, una mayúscula y un número";
}

/** @param {string} password @param {string} confirmation @returns {string} */
export const confirmationProblem = (password, confirmation) =>
  (password === confirmation ? "" : "Las contraseñas no coinciden");

/** @param {string} text @returns {string} */
export function nameProblem(text) {
  const name = text.trim();
  if (!name) return "Escribe tu nombre completo";
  return [...name].length <= 200 ? "" : "El nombre puede tener hasta 200 caracteres";
}
