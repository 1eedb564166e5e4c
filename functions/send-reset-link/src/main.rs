//! The Lambda function.

shared::function!(send_reset_link::SendResetLink);
