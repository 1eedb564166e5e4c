//! The function on Lambda.

shared::function!(send_reset_link::SendResetLink);
