//! The Lambda function.

shared::function!(list_passkeys::ListPasskeys);
