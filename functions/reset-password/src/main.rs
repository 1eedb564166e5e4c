//! The function on Lambda.

shared::function!(reset_password::ResetPassword);
