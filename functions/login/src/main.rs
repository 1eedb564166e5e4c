//! The Lambda function.

shared::function!(login::Login);
