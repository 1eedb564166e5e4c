//! The function on Lambda.

shared::function!(google_login::GoogleLogin);
