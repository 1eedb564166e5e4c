//! The Lambda function.

shared::function!(list_sessions::ListSessions);
