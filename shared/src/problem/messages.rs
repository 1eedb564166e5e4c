//! All messages in answers. They are Spanish, except those that are English in the contract. The texts of emails are in
//! `mail/letter.rs`.

/// Messages of answers whose `success` is true.
pub mod success {
    /// Login with a password.
    pub const LOGIN: &str = "Inicio de sesión correcto";
    /// Registration.
    pub const REGISTER: &str = "Usuario registrado correctamente";
    /// Logout, with or without a session.
    pub const LOGOUT: &str = "Sesión cerrada correctamente";
    /// Settings.
    pub const USER_CONFIG: &str = "Configuración actualizada correctamente";
    /// Deletion of the account.
    pub const DELETE_ACCOUNT: &str = "Usuario eliminado correctamente.";
    /// The reset email was sent.
    pub const SEND_RESET_LINK: &str = "Correo de restablecimiento enviado";
    /// The verification email was sent.
    pub const SEND_VERIFICATION: &str = "Correo de verificación enviado";
    /// The address was verified before.
    pub const EMAIL_VERIFIED_ALREADY: &str = "El email ya está verificado";
    /// The address is verified.
    pub const VERIFY_EMAIL: &str = "Email verificado correctamente";
    /// The new password was set.
    pub const RESET_PASSWORD: &str = "Contraseña restablecida con éxito";
    /// A passkey was created.
    pub const PASSKEY_CREATED: &str = "Llave de acceso creada";
    /// A passkey was removed.
    pub const PASSKEY_REMOVED: &str = "Llave de acceso eliminada";
    /// The link to Google was removed.
    pub const GOOGLE_UNLINKED: &str = "Google desvinculado";
    /// The caller has proved who they are.
    pub const CONFIRMED: &str = "Identidad confirmada";
    /// The account was locked, and a reset link was sent.
    pub const LOCKED: &str = "Cuenta protegida. Te hemos enviado un enlace para elegir otra contraseña";
    /// The link for a change of address was sent.
    pub const CHANGE_EMAIL: &str = "Te hemos enviado un enlace para confirmar el nuevo email";
    /// The address is changed.
    pub const EMAIL_CHANGED: &str = "Email cambiado correctamente";
    /// All entries are stored.
    pub const RECEIVE_DATA: &str = "Data saved successfully";
}

/// Messages of refusals. Each [`crate::Problem`] has one.
pub(crate) mod refusal {
    pub(crate) const METHOD_NOT_ALLOWED: &str = "Método no permitido";
    pub(crate) const FORBIDDEN: &str = "Acceso prohibido";
    pub(crate) const ACCESS_DENIED: &str = "Access denied";
    pub(crate) const NO_SESSION: &str = "No hay una sesión activa";
    pub(crate) const UNPROVED: &str = "Confirma que eres tú";
    pub(crate) const NOT_CONFIRMED: &str = "No hemos podido confirmar que eres tú";
    pub(crate) const NO_SESSION_EMAIL: &str = "No hay una sesión activa con email.";
    pub(crate) const INVALID_PARAMETERS: &str = "Parámetros inválidos";
    pub(crate) const EMAIL_MISSING: &str = "El campo email es obligatorio";
    pub(crate) const EMAIL_INVALID: &str = "Introduce un email válido";
    pub(crate) const PASSWORD_WEAK: &str = "La contraseña debe tener al menos 8 caracteres, una mayúscula y un número";
    pub(crate) const PASSWORD_COMMON: &str = "La contraseña es demasiado común";
    pub(crate) const PASSWORDS_DIFFER: &str = "Las contraseñas no coinciden";
    pub(crate) const TERMS_NOT_ACCEPTED: &str = "Debe aceptar los términos y condiciones";
    pub(crate) const WRONG_CREDENTIALS: &str = "Email o contraseña incorrectas";
    pub(crate) const EMAIL_TAKEN: &str = "El email ya está registrado";
    pub(crate) const UNKNOWN_EMAIL: &str = "No existe una cuenta con ese email";
    pub(crate) const INVALID_TOKEN: &str = "Token inválido o expirado";
    pub(crate) const INVALID_CREDENTIAL: &str = "Credencial inválida";
    pub(crate) const INVALID_PASSKEY: &str = "Llave de acceso inválida";
    pub(crate) const TOO_MANY_PASSKEYS: &str = "No se pueden guardar más llaves de acceso";
    pub(crate) const ONLY_WAY_IN: &str = "Crea antes una contraseña o una llave de acceso";
    pub(crate) const LOCKED_WITHOUT_LINK: &str = "Cuenta protegida. Contacta con nosotros para recuperarla";
    pub(crate) const TOO_MANY_MAILS: &str = "Hemos enviado demasiados correos. Inténtalo mañana";
    pub(crate) const CAPTCHA_REFUSED: &str = "Captcha inválido";
    pub(crate) const INVALID_JSON: &str = "Invalid JSON";
    pub(crate) const ENTRY_TOO_LARGE: &str = "Entry too large";
    pub(crate) const INTERNAL: &str = "Error interno del servidor";
}
