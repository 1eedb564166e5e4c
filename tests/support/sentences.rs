//! The contract's messages with their statuses. A test that needs only one or two may spell them out.

use std::fmt::Debug;

use crate::Answer;

/// A status and a message.
pub type Sentence = (u16, &'static str);

macro_rules! sentences {
    {
        done { $($done:ident = $ok:literal $said:literal)* }
        refused { $($name:ident = $status:literal $message:literal)* }
    } => {
        $(#[doc = concat!("`", $said, "`")] pub const $done: Sentence = ($ok, $said);)*
        $(#[doc = concat!("`", $message, "`")] pub const $name: Sentence = ($status, $message);)*

        /// The messages of successes. All others are refusals.
        const SUCCESSES: &[Sentence] = &[$($done),*];
    };
}

sentences! {
    done {
        REGISTERED = 200 "Usuario registrado correctamente"
        LOGGED_IN = 200 "Inicio de sesión correcto"
        LOGGED_OUT = 200 "Sesión cerrada correctamente"
        CONFIGURED = 200 "Configuración actualizada correctamente"
        DELETED = 200 "Usuario eliminado correctamente."
        LINK_SENT = 200 "Correo de restablecimiento enviado"
        VERIFICATION_SENT = 200 "Correo de verificación enviado"
        VERIFIED_ALREADY = 200 "El email ya está verificado"
        VERIFIED = 200 "Email verificado correctamente"
        RESET = 200 "Contraseña restablecida con éxito"
        CONFIRMED = 200 "Identidad confirmada"
        LOCKED = 200 "Cuenta protegida. Te hemos enviado un enlace para elegir otra contraseña"
        CHANGE_SENT = 200 "Te hemos enviado un enlace para confirmar el nuevo email"
        EMAIL_CHANGED = 200 "Email cambiado correctamente"
        DATA_SAVED = 200 "Data saved successfully"
        PASSKEY_CREATED = 200 "Llave de acceso creada"
        PASSKEY_REMOVED = 200 "Llave de acceso eliminada"
        GOOGLE_UNLINKED = 200 "Google desvinculado"
    }
    refused {
        LOCKED_WITHOUT_LINK = 200 "Cuenta protegida. Contacta con nosotros para recuperarla"
        TOO_MANY_MAILS = 200 "Hemos enviado demasiados correos. Inténtalo mañana"
        FORBIDDEN = 403 "Acceso prohibido"
        ACCESS_DENIED = 403 "Access denied"
        METHOD_NOT_ALLOWED = 405 "Método no permitido"
        NO_SESSION = 401 "No hay una sesión activa"
        UNPROVED = 403 "Confirma que eres tú"
        NOT_CONFIRMED = 200 "No hemos podido confirmar que eres tú"
        NO_SESSION_EMAIL = 200 "No hay una sesión activa con email."
        INVALID_PARAMETERS = 400 "Parámetros inválidos"
        INVALID_JSON = 200 "Invalid JSON"
        INVALID_CREDENTIAL = 401 "Credencial inválida"
        INVALID_TOKEN = 200 "Token inválido o expirado"
        EMAIL_MISSING = 200 "El campo email es obligatorio"
        EMAIL_INVALID = 200 "Introduce un email válido"
        EMAIL_TAKEN = 200 "El email ya está registrado"
        UNKNOWN_EMAIL = 200 "No existe una cuenta con ese email"
        WRONG_CREDENTIALS = 200 "Email o contraseña incorrectas"
        PASSWORD_COMMON = 200 "La contraseña es demasiado común"
        PASSWORDS_DIFFER = 200 "Las contraseñas no coinciden"
        TERMS_NOT_ACCEPTED = 200 "Debe aceptar los términos y condiciones"
        WEAK = 200 "La contraseña debe tener al menos 8 caracteres, una mayúscula y un número"
        ONLY_WAY_IN = 200 "Crea antes una contraseña o una llave de acceso"
        PASSKEY_REFUSED = 200 "Llave de acceso inválida"
        INVALID_PASSKEY = 401 "Llave de acceso inválida"
        TOO_MANY_PASSKEYS = 200 "No se pueden guardar más llaves de acceso"
        INTERNAL = 500 "Error interno del servidor"
    }
}

/// Whether this is the answer to a request that was done.
pub fn is_success(sentence: Sentence) -> bool {
    SUCCESSES.contains(&sentence)
}

/// A sentence that owns its message, to compare with [`Answer::sentence`].
pub fn owned_sentence((status, message): Sentence) -> (u16, String) {
    (status, message.to_owned())
}

/// Asserts the exact status, message and `success` of an answer. `row` names the row of a table in failures.
#[track_caller]
pub fn assert_says(answer: &Answer, expected: Sentence, row: impl Debug) {
    assert_eq!(
        (answer.sentence(), answer.success()),
        (owned_sentence(expected), is_success(expected).into()),
        "{row:?}: {}",
        answer.text
    );
}
