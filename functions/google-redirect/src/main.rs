//! The Lambda function.

shared::function!(google_redirect::GoogleRedirect);
