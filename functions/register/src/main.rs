//! The Lambda function.

shared::function!(register::Register);
