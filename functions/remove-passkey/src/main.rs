//! The Lambda function.

shared::function!(remove_passkey::RemovePasskey);
