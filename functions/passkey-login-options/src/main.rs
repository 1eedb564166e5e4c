//! The Lambda function.

shared::function!(passkey_login_options::PasskeyLoginOptions);
