//! The page of the mailbox: `GET /_local/`.
//!
//! The HTML of an email is shown in a frame that runs no scripts. The rest of the page is escaped text.

use std::fmt::Write;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, State};
use axum::response::Response;
use axum::routing::get;
use serde::Deserialize;

use super::mailbox::{Mail, Mailbox};
use crate::http::page::{escape, page};

/// The page loads nothing from other origins. The frame of an email inherits this policy, so it allows styles and
/// images.
const POLICY: &str =
    "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-src 'self'; form-action 'self'";

const INTRODUCTION: &str =
    "<p class=\"lead\">The last mails that the service has sent, at most 1000, newest first. Reload to see new ones.
The <a href=\"/_local/api\">API page</a> describes the endpoints and sends requests.</p>
";

/// The route of the inbox.
pub(crate) fn router(mailbox: Arc<Mailbox>) -> Router {
    Router::new().route("/_local", get(inbox)).route("/_local/", get(inbox)).with_state(mailbox)
}

/// The query of the inbox.
#[derive(Deserialize)]
struct Filter {
    /// A part of the recipient's address. Empty for all mails.
    #[serde(default)]
    to: String,
}

async fn inbox(State(mailbox): State<Arc<Mailbox>>, Query(Filter { to }): Query<Filter>) -> Response {
    let mut letters = mailbox.letters(None);
    let wanted = to.trim().to_lowercase();
    letters.retain(|mail| mail.to.to_lowercase().contains(&wanted));
    page("Inbox", POLICY, &body(&to, &letters))
}

fn body(to: &str, letters: &[Mail]) -> String {
    let mut page = INTRODUCTION.to_owned();
    let _ = write!(
        page,
        "<div class=\"tools\">
<form action=\"/_local/\"><label>To <input name=\"to\" type=\"search\" value=\"{to}\"></label><button class=\"button\" type=\"submit\">Filter</button></form>
<label class=\"check\"><input id=\"phone\" type=\"checkbox\">Phone width</label>
<label class=\"check\"><input id=\"dark\" type=\"checkbox\">Dark mode</label>
</div>
",
        to = escape(to),
    );
    if letters.is_empty() {
        page.push_str(if to.is_empty() {
            "<p>There are none yet.</p>\n"
        } else {
            "<p>There are none to this address.</p>\n"
        });
    }
    for mail in letters {
        // Links in an email open in a new tab, because the policy would block them inside the frame.
        let letter = escape(&format!("<base target=\"_blank\">{}", mail.html));
        let _ = write!(
            page,
            "<article>
<h2>{subject}</h2>
<p class=\"hint\">To {to}, from {from}, <time>{sent_at}</time></p>
<iframe title=\"{subject}, to {to}, {sent_at}\" sandbox=\"allow-popups allow-popups-to-escape-sandbox\" srcdoc=\"{letter}\"></iframe>
<details><summary aria-label=\"Text of {subject}, to {to}, {sent_at}\">Text</summary><pre>{text}</pre></details>
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
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_content_of_an_email_is_escaped() {
        let hostile = "\"'><script>alert(1)</script>&amp;";
        let mail = Mail {
            from: hostile.to_owned(),
            to: hostile.to_owned(),
            subject: hostile.to_owned(),
            headers: BTreeMap::default(),
            text: hostile.to_owned(),
            html: hostile.to_owned(),
            sent_at: hostile.to_owned(),
        };
        let page = body(hostile, &[mail]);
        assert!(!page.contains("<script"));
        assert_eq!(page.matches("&quot;&#39;&gt;&lt;script&gt;").count(), 13);
    }

    #[test]
    fn an_empty_inbox_says_so() {
        assert!(body("", &[]).contains("There are none yet."));
        assert!(body("ana", &[]).contains("There are none to this address."));
    }
}
