//! The Lambda function.

shared::function!(passkey_register::PasskeyRegister);
