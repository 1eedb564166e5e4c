//! The Lambda function.

shared::function!(close_session::CloseSession);
