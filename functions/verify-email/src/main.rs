//! The Lambda function.

shared::function!(verify_email::VerifyEmail);
