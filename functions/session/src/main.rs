//! The function on Lambda.

shared::function!(session::Session);
