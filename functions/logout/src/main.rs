//! The Lambda function.

shared::function!(logout::Logout);
