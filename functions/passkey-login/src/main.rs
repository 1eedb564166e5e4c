//! The Lambda function.

shared::function!(passkey_login::PasskeyLogin);
