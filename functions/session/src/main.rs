//! The Lambda function.

shared::function!(session::Session);
