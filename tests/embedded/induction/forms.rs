//! No write of the store is left out: the forms of all calls that tests have made (`infra/engine/forms.jsonl`) are among those
//! of the recorded writes, and so is each function of the store that writes.

use std::collections::BTreeSet;
use std::fs::{read_dir, read_to_string};
use std::path::Path;

use journeys::generated::path;
use serde_json::Value;

use super::writes::{Recorded, condition, members, parts_of, terms};

/// Attributes of a profile, of a session and of a passkey that no invariant is about. Two forms that differ only in whether they
/// write one of them are one.
const FREE: [&str; 18] = [
    "accept_news",
    "backup",
    "browsers",
    "browsers_since",
    "created_at",
    "credentials_changed_by",
    "exported_at",
    "import_digest",
    "import_generation",
    "last_seen",
    "last_used_at",
    "name",
    "name_proved",
    "news_changed_at",
    "nonce",
    "password_set_at",
    "proved_at",
    "url_image",
];
/// Attributes that are free too, although a guard of a reset compares them.
const WORDS: &str = "reset_words";

/// Forms that are not recorded, and why.
const LEFT_OUT: [(&str, &str); 1] = [(
    "Put attribute_not_exists(#pk) ; Delete attribute_exists(#pk) ",
    "A login to an account with a hundred sessions. It deletes sessions as other logins do, if they are there.",
)];

/// The functions of the store that send writes, by file. What each of them sends is recorded.
const WRITERS: [(&str, &str); 23] = [
    ("accounts.rs", "erase_once insert update upgrade_hash"),
    ("activities.rs", "add erase_of"),
    ("broken.rs", "erase_broken"),
    ("budget.rs", "issue take"),
    (
        "change.rs",
        "act change_password delete_identity_without_account delete_session_without_account delete_stale_address delete_unnamed_passkey end_session end_sessions_before remove_password restore_address restore_identity set_email set_profile_id verify",
    ),
    ("changes.rs", "add request"),
    ("counting.rs", "take"),
    ("email_changes.rs", "ask confirm"),
    ("exports.rs", "note"),
    ("google.rs", "insert link"),
    ("ids.rs", "next"),
    ("import.rs", "close_ids forget_imported_ids insert lower_ids note_imported_ids replace undo"),
    ("limits.rs", "forget"),
    ("locks.rs", "issue lock restore"),
    ("mod.rs", "first send withdraw"),
    ("of_account.rs", "store_for"),
    ("opening.rs", "open_with replace write"),
    ("passkeys.rs", "create prove remove user_handle"),
    ("proofs.rs", "issue spend"),
    ("resets.rs", "consume seal"),
    ("restore.rs", "put_back"),
    ("sessions.rs", "close end_session live prove remove_ended"),
    ("verifications.rs", "consume"),
];

/// The form of a write: its parts without keys and values.
fn form(parts: &[Value]) -> String {
    let mut all: Vec<String> =
        parts.iter().filter(|part| members(part).1["TableName"] == "accounts").map(part).collect();
    // An account may have several passkeys, and several sessions end at once.
    for length in [1, 2] {
        let mut once: Vec<String> = Vec::new();
        let mut rest = &all[..];
        while let Some((first, after)) = rest.split_first() {
            let run = rest.get(..length).filter(|run| once.ends_with(run));
            if let Some(run) = run {
                rest = &rest[run.len()..];
            } else {
                once.push(first.clone());
                rest = after;
            }
        }
        all = once;
    }
    // The rows of sessions and counts are deleted without a condition, beside whatever else is written.
    let is_beside = |at: usize| {
        let of_passkey = all.get(at + 1).is_some_and(|next| next.starts_with("Delete (attribute_not_exists(#pk) OR"));
        all[at] == "Delete  " && all.len() > 1 && !of_passkey
    };
    (0..all.len()).filter(|at| !is_beside(*at)).map(|at| all[at].as_str()).collect::<Vec<_>>().join("; ")
}

fn part(part: &Value) -> String {
    let (kind, members) = members(part);
    let without_numbers = |text: &str| {
        let mut pieces = text.split(":v");
        let first = pieces.next().unwrap_or_default().to_owned();
        pieces.fold(first, |all, piece| all + ":" + piece.trim_start_matches(|letter: char| letter.is_ascii_digit()))
    };
    let term = |term: &str| {
        let read = term.strip_prefix("attribute_not_exists(#").and_then(|rest| rest.strip_suffix(')'));
        let equal = term.strip_prefix('#').and_then(|rest| rest.strip_suffix(" = :"));
        match read.or(equal).filter(|name| *name != "pk") {
            Some(name) => format!("{name} as read"),
            None => term.to_owned(),
        }
    };
    let guard = without_numbers(condition(part));
    let guard = terms(&guard).into_iter().filter(|term| !term.contains("#nonce <> :")).map(term);
    let guard = guard.collect::<Vec<_>>().join(" AND ");
    let changes = without_numbers(members["UpdateExpression"].as_str().unwrap_or_default());
    let changes = ["REMOVE", "ADD", "DELETE"]
        .into_iter()
        .fold(changes, |all, word| all.replace(&format!(" {word} "), &format!("\n{word} ")));
    let changes = changes.lines().filter_map(|clause| {
        let (word, changes) = clause.split_once(' ')?;
        let changes = changes.replace(", #", "\n#");
        let is_free = |change: &&str| {
            let name: String = change
                .trim_start_matches('#')
                .chars()
                .take_while(|letter| letter.is_ascii_lowercase() || *letter == '_')
                .collect();
            FREE.contains(&name.as_str()) || name == WORDS
        };
        let mut kept: Vec<&str> = changes.lines().filter(|change| !is_free(change)).collect();
        kept.sort_unstable();
        (!kept.is_empty()).then(|| format!("{word} {}", kept.join(", ")))
    });
    format!("{kind} {guard} {}", changes.collect::<Vec<_>>().join(" "))
}

/// The forms and the functions that are not recorded, and the entries that are not needed.
pub(super) fn missing(all: &[Recorded]) -> Vec<String> {
    let recorded: BTreeSet<String> = all.iter().map(|write| form(&write.parts)).collect();
    let lines = read_to_string(path("infra/engine/forms.jsonl")).unwrap();
    let calls = lines.lines().map(|line| serde_json::from_str::<(String, Value)>(line).unwrap());
    let known = calls.map(|(operation, body)| form(&parts_of(&operation, &body)));
    let known: BTreeSet<String> = known.filter(|form| !form.is_empty()).collect();
    let is_left_out = |form: &str| LEFT_OUT.iter().any(|(left_out, _)| *left_out == form);
    let missing = known.difference(&recorded).filter(|form| !is_left_out(form)).map(|form| format!("the form {form}"));
    let gone = LEFT_OUT.iter().filter(|(form, _)| !known.contains(*form) || recorded.contains(*form));
    let gone = gone.map(|(form, _)| format!("left out in vain: {form}"));
    let listed = WRITERS.iter().flat_map(|(file, names)| names.split(' ').map(move |name| format!("{file}, {name}")));
    let (found, listed) = (writers(&path("shared/src/store")), listed.collect::<BTreeSet<String>>());
    let new = found.iter().filter(|name| !listed.contains(*name)).map(|name| format!("the function {name}"));
    let old = listed.iter().filter(|name| !found.contains(*name)).map(|name| format!("listed in vain: {name}"));
    missing.chain(gone).chain(new).chain(old).collect()
}

/// The functions below a folder that send writes.
fn writers(folder: &Path) -> BTreeSet<String> {
    const SENDS: [&str; 7] =
        [".write(", ".write_returning(", ".write_unmarked(", ".transact(", ".transact_under(", ".batch(", "table.add("];
    let mut found = BTreeSet::new();
    for entry in read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            found.extend(writers(&path));
            continue;
        }
        let (file, mut name) = (path.file_name().unwrap().to_string_lossy().into_owned(), "");
        let text = read_to_string(&path).unwrap();
        for line in text.lines() {
            let declared = line.split_once("fn ").filter(|(before, _)| {
                before.trim_start().split(' ').all(|word| {
                    word.is_empty()
                        || word.starts_with("pub")
                        || word == "async"
                        || word.ends_with("store)")
                        || word.starts_with("crate")
                        || word == "in"
                })
            });
            if let Some((_, rest)) = declared {
                name = rest.split(['(', '<']).next().unwrap_or_default();
            }
            if SENDS.iter().any(|sends| line.contains(sends))
                && folder.file_name().is_some_and(|folder| folder != "table")
            {
                found.insert(format!("{file}, {name}"));
            }
        }
    }
    found
}
