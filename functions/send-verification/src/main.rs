//! The Lambda function.

shared::function!(send_verification::SendVerification);
