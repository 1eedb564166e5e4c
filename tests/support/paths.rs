//! The paths of the contract.

/// Registration.
pub const REGISTER: &str = "/app/auth/sendRegister.php";
/// Login by password.
pub const LOGIN: &str = "/app/auth/sendLogin.php";
/// Login by the identity provider's credential.
pub const GOOGLE_LOGIN: &str = "/app/auth/google-callback-login.php";
/// The same in redirect mode.
pub const GOOGLE_REDIRECT: &str = "/app/auth/google-callback.php";
/// Logout.
pub const LOGOUT: &str = "/app/auth/logout.php";
/// Who is signed in.
pub const SESSION: &str = "/app/auth/session.php";
/// Settings.
pub const USER_CONFIG: &str = "/app/auth/sendUserConfig.php";
/// Deletion of the account.
pub const DELETE_ACCOUNT: &str = "/app/auth/deleteAccount.php";
/// The reset mail.
pub const SEND_RESET_LINK: &str = "/app/auth/sendResetLink.php";
/// The new password.
pub const RESET_PASSWORD: &str = "/app/auth/resetPassword.php";
/// Entries.
pub const RECEIVE_DATA: &str = "/receive-data.php";

/// All of them.
pub const ALL: &[&str] = &[
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
