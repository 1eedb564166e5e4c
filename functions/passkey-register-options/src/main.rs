//! The Lambda function.

shared::function!(passkey_register_options::PasskeyRegisterOptions);
