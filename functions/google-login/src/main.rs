//! The Lambda function.

shared::function!(google_login::GoogleLogin);
