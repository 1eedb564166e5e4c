//! The function on Lambda.

shared::function!(login::Login);
