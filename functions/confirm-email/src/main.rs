//! The Lambda function.

shared::function!(confirm_email::ConfirmEmail);
