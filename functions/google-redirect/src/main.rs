//! The function on Lambda.

shared::function!(google_redirect::GoogleRedirect);
