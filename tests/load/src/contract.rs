//! The contract, as far as the load goes: paths, and what is answered there.

/// Where endpoints are.
pub(crate) mod paths {
    pub(crate) const REGISTER: &str = "/app/auth/sendRegister.php";
    pub(crate) const LOGIN: &str = "/app/auth/sendLogin.php";
    pub(crate) const GOOGLE_LOGIN: &str = "/app/auth/google-callback-login.php";
    pub(crate) const GOOGLE_REDIRECT: &str = "/app/auth/google-callback.php";
    pub(crate) const LOGOUT: &str = "/app/auth/logout.php";
    pub(crate) const SESSION: &str = "/app/auth/session.php";
    pub(crate) const USER_CONFIG: &str = "/app/auth/sendUserConfig.php";
    pub(crate) const DELETE_ACCOUNT: &str = "/app/auth/deleteAccount.php";
    pub(crate) const SEND_RESET_LINK: &str = "/app/auth/sendResetLink.php";
    pub(crate) const RESET_PASSWORD: &str = "/app/auth/resetPassword.php";
    pub(crate) const RECEIVE_DATA: &str = "/receive-data.php";

    /// All of them, as the report lists them.
    pub(crate) const ALL: [&str; 11] = [
        REGISTER,
        LOGIN,
        GOOGLE_LOGIN,
        GOOGLE_REDIRECT,
        LOGOUT,
        SESSION,
        USER_CONFIG,
        DELETE_ACCOUNT,
        SEND_RESET_LINK,
        RESET_PASSWORD,
        RECEIVE_DATA,
    ];
}

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
