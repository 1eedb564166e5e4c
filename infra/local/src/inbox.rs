//! The mailbox as a page: `GET /_local/`.
//!
//! A letter is shown as its reader would see it, in a frame that runs no scripts; the rest of the page is
//! escaped text.

use std::fmt::Write;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;

use crate::mailbox::{Mail, Mailbox};
use crate::page::{escape, page};

/// Nothing is loaded from anywhere. A letter's frame inherits this policy, hence the styles and images.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'";

const INTRODUCTION: &str = "<p>Mails that the service has sent since it started, newest first. Reload to see new ones.
The endpoints are at <a href=\"/_local/api\">API</a>.</p>
";

/// The inbox's path.
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
        // Links of a letter open in a tab of their own: inside the frame the policy would stop them.
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
    fn no_letter_can_add_to_the_page() {
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
