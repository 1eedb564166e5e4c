//! The Lambda function.

shared::function!(change_email::ChangeEmail);
