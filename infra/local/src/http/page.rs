//! The layout that the stack's pages share. They look like the pages of the front end, and load nothing from other
//! origins.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{Html, IntoResponse, Response};

/// What these pages need besides the style sheet of the front end.
const STYLE: &str = include_str!("page.css");

/// A whole page. `body` is HTML; `policy` is its content security policy.
pub(crate) fn page(title: &str, policy: &'static str, body: &str) -> Response {
    let headers =
        [("content-security-policy", policy), ("referrer-policy", "no-referrer"), ("cache-control", "no-store")];
    let title = escape(title);
    let page = format!(
        "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"color-scheme\" content=\"light dark\">
<link rel=\"icon\" href=\"/assets/icon.svg\">
<link rel=\"stylesheet\" href=\"/assets/style.css\">
<title>{title}</title>
<style>
{STYLE}
</style>
</head>
<body>
<header class=\"top\">
<a class=\"brand\" href=\"/\"><img src=\"/assets/icon.svg\" alt=\"\" width=\"32\" height=\"32\">Finanzas</a>
<span class=\"hint\">Local stack</span>
</header>
<main>
<h1>{title}</h1>
{body}</main>
</body>
</html>
"
    );
    (headers, Html(page)).into_response()
}

/// A script of such a page.
pub(crate) fn script(text: &'static str) -> Response {
    ([(CONTENT_TYPE, "text/javascript; charset=utf-8"), (CACHE_CONTROL, "no-cache")], text).into_response()
}

/// Escapes `text` for the content of an element or for a quoted attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_special_characters_of_html_are_escaped() {
        assert_eq!(escape("<a b=\"c\" d='e'>&amp;ñ"), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;ñ");
    }
}
