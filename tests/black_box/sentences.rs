//! The service's messages with their statuses, and the valid and invalid values of its fields.

use std::fmt::Debug;

use journeys::Answer;

/// A message and its status.
#[derive(Clone, Copy)]
pub(crate) struct Sentence {
    status: u16,
    success: bool,
    message: &'static str,
}

pub(crate) const REGISTERED: Sentence = success("Usuario registrado correctamente");
pub(crate) const LOGGED_IN: Sentence = success("Inicio de sesión correcto");
pub(crate) const LOGGED_OUT: Sentence = success("Sesión cerrada correctamente");
pub(crate) const CONFIGURED: Sentence = success("Configuración actualizada correctamente");
pub(crate) const DELETED: Sentence = success("Usuario eliminado correctamente.");
pub(crate) const LINK_SENT: Sentence = success("Correo de restablecimiento enviado");
pub(crate) const RESET: Sentence = success("Contraseña restablecida con éxito");
pub(crate) const DATA_SAVED: Sentence = success("Data saved successfully");

pub(crate) const FORBIDDEN: Sentence = refusal(403, "Acceso prohibido");
pub(crate) const ACCESS_DENIED: Sentence = refusal(403, "Access denied");
pub(crate) const METHOD_NOT_ALLOWED: Sentence = refusal(405, "Método no permitido");
pub(crate) const NO_SESSION: Sentence = refusal(401, "No hay una sesión activa");
pub(crate) const NO_SESSION_EMAIL: Sentence = refusal(200, "No hay una sesión activa con email.");
pub(crate) const INVALID_PARAMETERS: Sentence = refusal(400, "Parámetros inválidos");
pub(crate) const INVALID_JSON: Sentence = refusal(200, "Invalid JSON");
pub(crate) const INVALID_CREDENTIAL: Sentence = refusal(401, "Credencial inválida");
pub(crate) const INVALID_TOKEN: Sentence = refusal(200, "Token inválido o expirado");
pub(crate) const EMAIL_MISSING: Sentence = refusal(200, "El campo email es obligatorio");
pub(crate) const EMAIL_INVALID: Sentence = refusal(200, "Introduce un email válido");
pub(crate) const EMAIL_TAKEN: Sentence = refusal(200, "El email ya está registrado");
pub(crate) const UNKNOWN_EMAIL: Sentence = refusal(200, "No existe una cuenta con ese email");
pub(crate) const WRONG_CREDENTIALS: Sentence = refusal(200, "Email o contraseña incorrectas");
pub(crate) const PASSWORDS_DIFFER: Sentence = refusal(200, "Las contraseñas no coinciden");
pub(crate) const TERMS_NOT_ACCEPTED: Sentence = refusal(200, "Debe aceptar los términos y condiciones");
pub(crate) const WEAK: Sentence =
    refusal(200, "La contraseña debe tener al menos 8 caracteres, una mayúscula y un número");

/// A valid password that no account has yet.
pub(crate) const NEW_PASSWORD: &str = "Nueva-Clave-2";

/// Invalid addresses.
pub(crate) const BAD_EMAILS: [&str; 24] = [
    "ana",
    "@example.com",
    "ana@",
    "ana@example",
    "ana@@example.com",
    "ana@eva@example.com",
    "a na@example.com",
    "ana@exa mple.com",
    "\"ana\"@example.com",
    "ana,eva@example.com",
    "ana@example.com,eva@example.com",
    "ana@example.com eva@example.com",
    "<ana@example.com>",
    "mailto:ana@example.com",
    "año@example.com",
    "ana@españa.example",
    "an\0a@example.com",
    "ana@example.com\0",
    "ana@example.com\r\nBcc: eva@example.com",
    "ana@example.com.\u{7f}",
    "\u{212a}ana@example.com",
    "\u{ff41}na@example.com",
    "ana@ex\u{430}mple.com",
    "=?utf-8?q?eva=40example.org=3e?=@example.com",
];

/// Passwords that do not meet the policy: 7 code points, no uppercase letter, no digit.
pub(crate) const WEAK_PASSWORDS: [&str; 9] =
    ["", "Clave12", "Ñandú12", "A1😀😀😀😀😀", "contraseña1", "CONTRASEÑA", "Contraseña", "12345678", "        "];

/// Passwords that just meet the policy.
pub(crate) const JUST_STRONG_PASSWORDS: [&str; 5] = ["Clave123", "Ñandú123", "éxitoÉ07", "A1😀😀😀😀😀😀", "      A1"];

/// Every accepted spelling of an address.
pub(crate) fn spellings(email: &str) -> [String; 5] {
    let upper = email.to_uppercase();
    let (first, rest) = email.split_at(1);
    let capital = format!("{}{rest}", first.to_uppercase());
    [email.to_owned(), upper.clone(), capital, format!("  {email}\t"), format!("\r\n{upper}\n")]
}

const fn success(message: &'static str) -> Sentence {
    Sentence { status: 200, success: true, message }
}

const fn refusal(status: u16, message: &'static str) -> Sentence {
    Sentence { status, success: false, message }
}

/// Asserts the exact message and status of an answer. `row` names the row of the table in failures.
#[track_caller]
pub(crate) fn assert_says(answer: &Answer, expected: Sentence, row: impl Debug) {
    let (status, message) = answer.said();
    let said = (status, answer.success(), message.as_str());
    assert_eq!(said, (expected.status, expected.success.into(), expected.message), "{row:?}: {}", answer.text);
}
