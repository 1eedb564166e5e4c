//! The layout that the stack's pages share. They have no scripts of their own and load nothing from other origins.

use axum::response::{Html, IntoResponse, Response};

const STYLE: &str = "body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 48rem; padding: 0 1rem }
article { border: 1px solid #999; border-radius: 6px; margin: 1rem 0; padding: 1rem }
h2 { font-size: 1.1rem; margin: 0 }
h3 { font-size: 1rem; margin: 1rem 0 0 }
p { margin: .25rem 0 }
table { border-collapse: collapse; margin: .25rem 0; width: 100% }
td, th { border-bottom: 1px solid #ccc; overflow-wrap: break-word; padding: .25rem .5rem .25rem 0; text-align: left; vertical-align: top }
iframe { background: #fff; border: 1px solid #ccc; height: 24rem; width: 100% }
pre { margin: .25rem 0; overflow-wrap: anywhere; white-space: pre-wrap }";

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
<meta name=\"viewport\" content=\"width=device-width\">
<title>{title}</title>
<style>
{STYLE}
</style>
</head>
<body>
<h1>{title}</h1>
{body}</body>
</html>
"
    );
    (headers, Html(page)).into_response()
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
