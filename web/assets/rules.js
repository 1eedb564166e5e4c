// The service's rules for fields, checked before a form is sent.

import { MESSAGES } from "../client/index.js";

/** Counts like the service: the length in code points, uppercase letters as Unicode defines them, the digits 0 to 9. */
export const PASSWORD_RULES = {
  length: (/** @type {string} */ password) => [...password].length >= 8,
  uppercase: (/** @type {string} */ password) => /\p{Uppercase}/u.test(password),
  digit: (/** @type {string} */ password) => /[0-9]/.test(password),
};

/** @param {string} password */
export function passwordProblem(password) {
  if (!password) return "Escribe una contraseña.";
  return Object.values(PASSWORD_RULES).every((holds) => holds(password)) ? "" : "Completa lo que falta en la lista.";
}

/** @param {string} password @param {string} confirmation */
export function confirmationProblem(password, confirmation) {
  if (!confirmation) return "Repite la contraseña.";
  return password === confirmation ? "" : MESSAGES["passwords-differ"];
}

/** @param {string} text */
export function nameProblem(text) {
  const name = text.trim();
  if (!name) return "Escribe tu nombre completo.";
  if (/\p{Cc}/u.test(name)) return "El nombre tiene un tabulador u otro carácter que no se ve. Escríbelo de nuevo.";
  return [...name].length <= 200 ? "" : "El nombre puede tener hasta 200 caracteres.";
}
