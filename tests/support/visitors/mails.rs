//! The mailbox of the service under test.

use serde_json::{Value, json};

/// A mailbox.
#[derive(Clone)]
pub(crate) enum Mails {
    /// The local stack's, at this address.
    Local(String),
    /// `MiniStack`'s list of the mails that its SES received.
    MiniStack(String),
}

impl Mails {
    /// `MiniStack`'s mailbox at `MAILS_URL`. Without this variable, the local stack's mailbox at this URL.
    pub(crate) fn new(backends_url: &str) -> Self {
        std::env::var("MAILS_URL").map_or_else(|_| Self::Local(format!("{backends_url}/_local/mail")), Self::MiniStack)
    }

    /// The request for the mails to an address. `MiniStack` answers with all mails.
    pub(crate) fn request(&self, http: &reqwest::Client, to: &str) -> reqwest::RequestBuilder {
        match self {
            Self::Local(url) => http.get(url).query(&[("to", to)]),
            Self::MiniStack(url) => http.get(url),
        }
    }

    /// The mails to an address in the answer, newest first, in the format of the local stack.
    pub(crate) fn read(&self, answer: &Value, to: &str) -> Vec<Value> {
        match self {
            Self::Local(_) => answer.as_array().cloned().unwrap_or_default(),
            Self::MiniStack(_) => {
                let accounts = answer.get("messages").and_then(Value::as_object).into_iter().flatten();
                let messages = accounts.filter_map(|(_, messages)| messages.as_array()).flatten();
                messages.rev().filter_map(|message| mail(message, to)).collect()
            }
        }
    }
}

/// A message in the format of the local stack, if it is to this address.
fn mail(message: &Value, to: &str) -> Option<Value> {
    let recipients = message.get("To")?.as_array()?;
    let to = recipients.iter().filter_map(Value::as_str).find(|one| one.eq_ignore_ascii_case(to))?;
    let text = |name: &str| message.get(name).cloned().unwrap_or_default();
    Some(json!({
        "from": text("Source"), "to": to, "subject": text("Subject"), "text": text("BodyText"), "html": text("BodyHtml"),
        "sent_at": text("Timestamp"),
    }))
}
