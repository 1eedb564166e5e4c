//! `POST /app/auth/exportAccount.php`: returns all data about the caller except hashes, page by page.

mod shown;

use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;
use shared::account::avatar::Avatars;
use shared::log::audit::Event;
use shared::store::{Entries, Exports, Position};
use shared::{Call, Endpoint, Fault, Form, Problem, Proved, Reply, Setup};

use shown::{Member, Shown, ShownEntry};

/// The maximum number of bytes of the account's data and the entries in an answer, as Lambda receives it. Lambda's
/// limit for the whole answer is 6 MB (6,291,456 bytes), headers included.
const PAGE_BYTES: usize = 5_000_000;

/// The endpoint.
pub struct ExportAccount {
    avatars: Avatars,
    exports: Exports,
    entries: Entries,
}

/// The form. Without `cursor` the answer is the first page.
#[derive(Deserialize)]
pub struct ExportForm {
    cursor: String,
}

impl Endpoint for ExportAccount {
    const NAME: &'static str = "export-account";
    type Caller = Proved;
    type Body = Form<ExportForm>;

    fn new(setup: &Setup) -> Self {
        let avatars = Avatars::new(setup.settings());
        Self { avatars, exports: Exports::new(setup), entries: Entries::new(setup) }
    }

    async fn answer(&self, call: Call<Proved, Form<ExportForm>>) -> Result<Reply, Problem> {
        let Form(form) = call.body;
        let cursor = match form.cursor.as_str() {
            "" => None,
            cursor => Some(Cursor::parse(cursor).ok_or(Problem::InvalidParameters)?),
        };
        let session = call.caller.session;
        let held = self.exports.held(&session).await?.ok_or(Problem::NoSession)?;
        let shown = Shown::of(&held, &session.token, &self.avatars);
        let members = shown.members().map_err(|_| unwritable())?;
        let mut page = Page::with_room_beside(&members);
        let id = session.account.id;
        let proved_at = held.profile.proved_at;
        let after = cursor.as_ref().map(|cursor| &cursor.after);
        let next = self.entries.read_of(id, after, |entry| page.take(&ShownEntry::of(&entry, proved_at))).await?;
        // The owner is told of every export. One that begins with an invented cursor is one too.
        let told = cursor.map(|cursor| cursor.exported_at).filter(|at| session.account.exported_at == Some(*at));
        let exported_at = match told {
            Some(at) => at,
            None => self.exports.note(&session.account).await?.ok_or(Problem::NoSession)?,
        };
        call.audit.record(Event::AccountExported, id);
        let reply = members.iter().try_fold(Reply::plain_success(), |reply, (name, text)| reply.with(name, text))?;
        Ok(reply
            .with("entries", &page.entries)?
            .with("cursor", &next.map(|after| Cursor { exported_at, after }.to_string()))?)
    }
}

/// Where the next page of an export begins.
struct Cursor {
    /// When the owner was told of the export, in milliseconds since 1970.
    exported_at: u64,
    /// The last entry of the page before.
    after: Position,
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.exported_at, self.after)
    }
}

impl Cursor {
    fn parse(text: &str) -> Option<Self> {
        let (exported_at, after) = text.split_once('-')?;
        let cursor = Self { exported_at: exported_at.parse().ok()?, after: Position::parse(after)? };
        (cursor.to_string() == text).then_some(cursor)
    }
}

/// The entries of an answer.
struct Page {
    entries: Vec<Box<RawValue>>,
    /// The remaining bytes.
    room: usize,
}

impl Page {
    fn with_room_beside(members: &[Member]) -> Self {
        // The quotes of a name are escaped too, and a colon follows it.
        let others: usize = members.iter().map(|(name, text)| name.len() + 5 + bytes(text)).sum();
        Self { entries: Vec::new(), room: PAGE_BYTES.saturating_sub(others) }
    }

    /// Adds an entry, or returns false if it does not fit. The first entry always fits, as
    /// [`Entries::read_of`] requires.
    fn take(&mut self, entry: &ShownEntry<'_>) -> Result<bool, Fault> {
        let text = serde_json::value::to_raw_value(entry).map_err(|_| unwritable())?;
        let bytes = bytes(&text);
        if bytes > self.room && !self.entries.is_empty() {
            return Ok(false);
        }
        self.room = self.room.saturating_sub(bytes);
        self.entries.push(text);
        Ok(true)
    }
}

/// The bytes of a value, with a comma, in the answer as Lambda receives it: the text is a string in another JSON
/// document, which escapes its quotes and backslashes once more.
fn bytes(text: &RawValue) -> usize {
    let text = text.get();
    let escaped = text.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count();
    text.len() + escaped + 1
}

fn unwritable() -> Fault {
    Fault::new("export.json", "unwritable")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_a_value_are_those_in_the_answer_to_lambda() {
        for text in [r#"{"a":1}"#, r#"{"quote\\\"":"ñ"}"#, "{\"a\":\r\n\t[\"\\u0000\"]}"] {
            let entry = ShownEntry::new("id", 0, text);
            let value = serde_json::value::to_raw_value(&entry).unwrap();
            let in_another_document = serde_json::to_string(value.get()).unwrap();
            assert_eq!(bytes(&value), in_another_document.len() - "\"\"".len() + ",".len(), "{text}");
        }
    }

    #[test]
    fn an_entry_without_room_is_refused_unless_it_is_the_first() {
        let mut page = Page { entries: Vec::new(), room: 100 };
        let large = "x".repeat(200);
        assert_eq!(page.take(&ShownEntry::new("1", 0, &large)), Ok(true));
        assert_eq!(page.take(&ShownEntry::new("2", 0, "")), Ok(false));
        assert_eq!(page.entries.len(), 1);
    }
}
