//! The function on Lambda.

shared::function!(register::Register);
