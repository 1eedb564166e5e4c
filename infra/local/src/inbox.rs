//! The page of the mailbox: `GET /_local/`.
//!
//! The HTML of an email is shown in a frame that runs no scripts. The rest of the page is escaped text.

use std::fmt::Write;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;

use crate::mailbox::{Mail, Mailbox};
use crate::page::{escape, page};

/// The page loads nothing from other origins. The frame of an email inherits this policy, so it allows styles and
/// images.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'";

const INTRODUCTION: &str = "<p>Mails that the service has sent since it started, newest first. Reload to see new ones.
The endpoints are described in <a href=\"/_local/openapi.json\">openapi.json</a>.</p>
";

/// The route of the inbox.
pub(crate) fn router(mailbox: Arc<Mailbox>) -> Router {
    Router::new().route("/_local", get(inbox)).route("/_local/", get(inbox)).with_state(mailbox)
}

async fn inbox(State(mailbox): State<Arc<Mailbox>>) -> Response {
    page("Inbox", POLICY, &body(&mailbox.letters(None)))
}

fn body(letters: &[Mail]) -> String {
    let mut page = INTRODUCTION.to_owned();
    if letters.is_empty() {
        page.push_str("<p>There are none yet.</p>\n");
    }
    for mail in letters {
        // Links in an email open in a new tab, because the policy would block them inside the frame.
        let letter = escape(&format!("<base target=\"_blank\">{}", mail.html));
        let _ = write!(
            page,
            "<article>
<h2>{subject}</h2>
<p>To {to}, from {from}, <time>{sent_at}</time></p>
<iframe title=\"Letter\" sandbox=\"allow-popups allow-popups-to-escape-sandbox\" srcdoc=\"{letter}\"></iframe>
<details><summary>Text</summary><pre>{text}</pre></details>
</article>
",
            subject = escape(&mail.subject),
            to = escape(&mail.to),
            from = escape(&mail.from),
            sent_at = escape(&mail.sent_at),
            text = escape(&mail.text),
        );
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_of_an_email_is_escaped() {
        let hostile = "\"'><script>alert(1)</script>&amp;";
        let mail = Mail {
            from: hostile.to_owned(),
            to: hostile.to_owned(),
            subject: hostile.to_owned(),
            text: hostile.to_owned(),
            html: hostile.to_owned(),
            sent_at: hostile.to_owned(),
        };
        let page = body(&[mail]);
        assert!(!page.contains("<script"));
        assert_eq!(page.matches("&quot;&#39;&gt;&lt;script&gt;").count(), 6);
    }

    #[test]
    fn an_empty_inbox_says_so() {
        assert!(body(&[]).contains("There are none yet."));
    }
}
