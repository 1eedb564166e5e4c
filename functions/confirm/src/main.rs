//! The Lambda function.

shared::function!(confirm::Confirm);
