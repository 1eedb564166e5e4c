//! The browser's side of the identity provider: a script in place of Google's, and a page to choose an account.

use axum::Router;
use axum::routing::get;

use crate::http::page::{page, script};

/// The path of the script that replaces Google's.
pub(crate) const SCRIPT_PATH: &str = "/_local/google/client.js";

/// The page sends the chosen account with a form or a message, and loads nothing from other origins.
const POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; form-action 'self'; img-src 'self'; \
                      style-src 'self' 'unsafe-inline'";

/// Two predefined accounts, and a form for any other. The script enables the buttons, which do nothing without it.
const BODY: &str = "<p class=\"lead\">This page of the local stack replaces Google's. Choose the account to sign in with.</p>
<article>
<div class=\"accounts\">
<button class=\"button plain\" type=\"button\" disabled data-email=\"ana@example.com\" data-name=\"Ana García\">Ana García, ana@example.com</button>
<button class=\"button plain\" type=\"button\" disabled data-email=\"luis@example.com\" data-name=\"Luis Pérez\">Luis Pérez, luis@example.com</button>
</div>
<form class=\"another\">
<p class=\"field\"><label>Email <input name=\"email\" type=\"email\" required></label></p>
<p class=\"field\"><label>Name <input name=\"name\" type=\"text\" required></label></p>
<button class=\"button\" type=\"submit\" disabled>Use another account</button>
</form>
</article>
<script src=\"/_local/google/choose.js\" defer></script>
";

/// The routes of the scripts and the chooser.
pub(crate) fn router() -> Router {
    Router::new()
        .route(SCRIPT_PATH, get(async || script(include_str!("chooser/client.js"))))
        .route("/_local/google/choose.js", get(async || script(include_str!("chooser/choose.js"))))
        .route("/_local/google/choose", get(async || page("Choose an account", POLICY, BODY)))
}
