//! The contract, as far as the load goes: paths, and what is answered there.

/// Where endpoints are: the journeys' own list.
#[expect(unreachable_pub, reason = "there it is a library's module")]
#[path = "../../paths.rs"]
pub(crate) mod paths;

/// Messages of successes.
pub(crate) mod success {
    pub(crate) const REGISTER: &str = "Usuario registrado correctamente";
    pub(crate) const LOGIN: &str = "Inicio de sesión correcto";
    pub(crate) const LOGOUT: &str = "Sesión cerrada correctamente";
    pub(crate) const USER_CONFIG: &str = "Configuración actualizada correctamente";
    pub(crate) const DELETE_ACCOUNT: &str = "Usuario eliminado correctamente.";
    pub(crate) const SEND_RESET_LINK: &str = "Correo de restablecimiento enviado";
    pub(crate) const RESET_PASSWORD: &str = "Contraseña restablecida con éxito";
    pub(crate) const RECEIVE_DATA: &str = "Data saved successfully";
}

/// What login answers whom it does not let in.
pub(crate) const WRONG_CREDENTIALS: &str = "Email o contraseña incorrectas";
