//! The function on Lambda.

shared::function!(logout::Logout);
