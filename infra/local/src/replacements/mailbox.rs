//! The mailbox: implements SES's `SendEmail` (API version 2), and keeps the emails instead of sending them.
//!
//! `GET /_local/mail?to=ADDRESS` returns them, newest first.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::system::clock::Clock;

/// The base path of the mailbox's SES API. The SDK appends the operation's path.
pub(crate) const SES_PATH: &str = "/_local/ses";

/// The maximum number of emails that are kept. Older ones are dropped.
const CAPACITY: usize = 1000;

/// An email to one recipient.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mail {
    /// The sender, as the function sent it: a name and an address.
    pub from: String,
    /// The recipient, as the function sent it.
    pub to: String,
    /// The subject.
    pub subject: String,
    /// The further headers.
    pub headers: BTreeMap<String, String>,
    /// The text part, empty if there is none.
    pub text: String,
    /// The HTML part, empty if there is none.
    pub html: String,
    /// The time of receipt, in the format of RFC 3339 and in UTC.
    pub sent_at: String,
}

/// The received emails, newest first.
pub(crate) struct Mailbox {
    letters: Mutex<VecDeque<Mail>>,
    sent: AtomicU64,
    clock: Arc<dyn Clock>,
}

impl Mailbox {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { letters: Mutex::new(VecDeque::new()), sent: AtomicU64::new(0), clock }
    }

    /// The emails to `recipient`, in any letter case, or all of them; newest first.
    pub(crate) fn letters(&self, recipient: Option<&str>) -> Vec<Mail> {
        let wanted = recipient.map(str::to_lowercase);
        let matches = |mail: &&Mail| wanted.as_ref().is_none_or(|to| mail.to.to_lowercase() == *to);
        self.lock().iter().filter(matches).cloned().collect()
    }

    fn take(&self, request: SendEmail) -> String {
        let Simple { subject, body, headers } = request.content.simple;
        let headers: BTreeMap<String, String> = headers.into_iter().map(|header| (header.name, header.value)).collect();
        let sent_at = self.clock.now().to_rfc3339();
        let mut letters = self.lock();
        for to in request.destination.to_addresses {
            letters.push_front(Mail {
                from: request.from_email_address.clone(),
                to,
                subject: subject.data.clone(),
                headers: headers.clone(),
                text: body.text.as_ref().map_or_else(String::new, |part| part.data.clone()),
                html: body.html.as_ref().map_or_else(String::new, |part| part.data.clone()),
                sent_at: sent_at.clone(),
            });
        }
        letters.truncate(CAPACITY);
        format!("local-{}", self.sent.fetch_add(1, Ordering::Relaxed))
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Mail>> {
        self.letters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The routes of the mailbox.
pub(crate) fn router(mailbox: Arc<Mailbox>) -> Router {
    Router::new()
        .route("/_local/mail", get(list))
        .route(&format!("{SES_PATH}/v2/email/outbound-emails"), post(send))
        .with_state(mailbox)
}

#[derive(Deserialize)]
struct Filter {
    to: Option<String>,
}

async fn list(State(mailbox): State<Arc<Mailbox>>, Query(filter): Query<Filter>) -> Json<Vec<Mail>> {
    Json(mailbox.letters(filter.to.as_deref()))
}

async fn send(State(mailbox): State<Arc<Mailbox>>, body: Bytes) -> Response {
    match parse(&body) {
        Ok(request) => Json(json!({ "MessageId": mailbox.take(request) })).into_response(),
        Err(reason) => {
            let error = json!({ "__type": "BadRequestException", "message": reason });
            let kind = [("x-amzn-errortype", "BadRequestException")];
            (StatusCode::BAD_REQUEST, kind, Json(error)).into_response()
        }
    }
}

/// The members of a `SendEmail` request that the mailbox uses.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SendEmail {
    from_email_address: String,
    destination: Destination,
    content: Content,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Destination {
    to_addresses: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Content {
    simple: Simple,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Simple {
    subject: Part,
    body: Body,
    #[serde(default)]
    headers: Vec<Header>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Header {
    name: String,
    value: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Body {
    text: Option<Part>,
    html: Option<Part>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Part {
    data: String,
}

fn parse(body: &[u8]) -> Result<SendEmail, String> {
    let request: SendEmail = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let addresses = &request.destination.to_addresses;
    let body = &request.content.simple.body;
    if addresses.is_empty() {
        return Err("Destination.ToAddresses is empty".to_owned());
    }
    if addresses.iter().chain([&request.from_email_address]).any(|address| !address.contains('@')) {
        return Err("an address has no @".to_owned());
    }
    if !request.from_email_address.is_ascii() {
        return Err("FromEmailAddress is not ASCII".to_owned());
    }
    if body.text.is_none() && body.html.is_none() {
        return Err("Content.Simple.Body has neither Text nor Html".to_owned());
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::system::clock::SystemClock;

    fn request(to: &str, subject: &str) -> SendEmail {
        let body = json!({
            "FromEmailAddress": "cuentas@example.com",
            "Destination": { "ToAddresses": [to] },
            "Content": { "Simple": {
                "Subject": { "Data": subject, "Charset": "UTF-8" },
                "Body": { "Text": { "Data": "hola" }, "Html": { "Data": "<p>hola</p>" } },
            } },
        });
        parse(body.to_string().as_bytes()).expect("the request is valid")
    }

    #[test]
    fn emails_are_listed_newest_first_for_an_address_in_any_case() {
        let mailbox = Mailbox::new(Arc::new(SystemClock));
        for (to, subject) in [("ana@example.com", "1"), ("b@example.com", "2"), ("Ana@example.com", "3")] {
            mailbox.take(request(to, subject));
        }
        let subjects = |to| mailbox.letters(to).into_iter().map(|mail| mail.subject).collect::<Vec<_>>();
        assert_eq!(subjects(Some("ANA@example.com")), ["3", "1"]);
        assert_eq!(subjects(Some("nobody@example.com")), [""; 0]);
        assert_eq!(subjects(None), ["3", "2", "1"]);
    }

    #[test]
    fn only_the_newest_thousand_are_kept() {
        let mailbox = Mailbox::new(Arc::new(SystemClock));
        for number in 0..=CAPACITY {
            mailbox.take(request("ana@example.com", &number.to_string()));
        }
        let letters = mailbox.letters(None);
        assert_eq!(letters.len(), CAPACITY);
        assert_eq!(letters.last().map(|mail| mail.subject.as_str()), Some("1"));
    }

    #[test]
    fn an_incomplete_request_is_refused() {
        let to = |addresses: &[&str], body: serde_json::Value| {
            json!({
                "FromEmailAddress": "a@example.com",
                "Destination": { "ToAddresses": addresses },
                "Content": { "Simple": { "Subject": { "Data": "s" }, "Body": body } },
            })
        };
        let text = || json!({ "Text": { "Data": "t" } });
        assert!(parse(to(&["b@example.com"], text()).to_string().as_bytes()).is_ok());
        for body in
            [json!(null), json!({}), to(&[], text()), to(&["nobody"], text()), to(&["b@example.com"], json!({}))]
        {
            assert!(parse(body.to_string().as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn a_sender_whose_name_is_not_encoded_is_refused_as_by_ses() {
        let from = |sender: &str| {
            let simple = json!({ "Subject": { "Data": "s" }, "Body": { "Text": { "Data": "t" } } });
            let destination = json!({ "ToAddresses": ["b@example.com"] });
            json!({ "FromEmailAddress": sender, "Destination": destination, "Content": { "Simple": simple } })
        };
        for (sender, taken) in [
            ("Finanzas <a@example.com>", true),
            ("=?utf-8?b?Q8OpbnRpbW8=?= <a@example.com>", true),
            ("Céntimo <a@example.com>", false),
        ] {
            assert_eq!(parse(from(sender).to_string().as_bytes()).is_ok(), taken, "{sender}");
        }
    }
}
