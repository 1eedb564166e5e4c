//! Each kind of line of generated traffic, removed, doubled, moved in time or changed: it is found, or is listed here, and
//! `docs/accounts.md` says so.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::StreamExt;
use futures_util::stream::iter;
use serde_json::{Value, json};
use shared::system::clock::Timestamp;

use super::{findings, traffic, verify};
use crate::support::text;

/// A change of the line at a place of a log.
type Forgery = fn(&mut Vec<Value>, usize);

const FORGERIES: [(&str, Forgery); 10] = [
    ("removed", |lines, at| drop(lines.remove(at))),
    ("doubled", |lines, at| lines.insert(at, lines[at].clone())),
    ("an hour later", |lines, at| move_by(&mut lines[at], 3600)),
    ("an hour earlier", |lines, at| move_by(&mut lines[at], -3600)),
    ("of another account", |lines, at| lines[at]["account.id"] = json!(999_999)),
    ("of another session", |lines, at| _ = lines[at].get_mut("session.id").map(|id| *id = json!("AAAAAAAAAAAA"))),
    ("of another call", |lines, at| lines[at]["request.id"] = json!("another")),
    ("of another function", |lines, at| lines[at]["function"] = json!("logout")),
    ("as a refusal", |lines, at| lines[at]["audit.event"] = json!("proof-required")),
    ("as another change", |lines, at| lines[at]["audit.event"] = json!("account-exported")),
];

/// For each forgery, the events of which it is not found.
const UNSEEN: [(&str, &[&str]); 6] = [
    ("an hour earlier", &BY_OPERATORS),
    ("an hour later", &BY_OPERATORS),
    ("as a refusal", &["identity-unlinking-failed", "passkey-creation-failed", "passkey-removal-failed"]),
    (
        "of another account",
        &["account-registered", "email-change-failed", "lock-failed", "login-failed", "password-reset-failed"],
    ),
    ("of another session", &["login-succeeded"]),
    (
        "removed",
        &[
            "confirmation-failed",
            "credentials-revoked",
            "email-change-failed",
            "identity-linked",
            "identity-unlinking-failed",
            "lock-failed",
            "logged-out",
            "login-failed",
            "passkey-creation-failed",
            "passkey-removal-failed",
            "password-reset-failed",
            "password-reset-requested",
            "proof-required",
            "verification-requested",
        ],
    ),
];
/// A command of an operator may take hours, so its intent may be earlier and its outcome later.
const BY_OPERATORS: [&str; 7] = [
    "account-disabled",
    "account-enabled",
    "account-locked",
    "email-set",
    "email-verified",
    "password-removed",
    "sessions-ended",
];

fn move_by(line: &mut Value, seconds: i64) {
    let time = seconds_of(&text(line, "timestamp"));
    line["timestamp"] = json!(Timestamp::from_seconds(time.saturating_add_signed(seconds)).to_rfc3339());
}

/// The seconds of a time in RFC 3339.
fn seconds_of(text: &str) -> u64 {
    let time = aws_smithy_types::DateTime::from_str(text, aws_smithy_types::date_time::Format::DateTime).unwrap();
    u64::try_from(time.secs()).unwrap()
}

/// The kind of a line: its event, who made the change, and how far it has come.
fn kind(line: &Value) -> (String, bool, String) {
    (text(line, "audit.event"), line["function"] == "accounts", text(line, "audit.stage"))
}

/// The lines of the account or of the call of a line, between the edges of the time, and the place of the line among them.
fn related(lines: &[Value], place: usize) -> (Vec<Value>, usize) {
    let (line, edge) = (&lines[place], 4);
    let is_own = |other: &Value| {
        ["account.id", "request.id"].into_iter().any(|name| !line[name].is_null() && other[name] == line[name])
    };
    let calls: BTreeSet<String> =
        lines.iter().filter(|other| is_own(other)).map(|other| text(other, "request.id")).collect();
    let kept = |(at, other): &(usize, &Value)| {
        *at < edge || at + edge >= lines.len() || calls.contains(&text(other, "request.id"))
    };
    let kept: Vec<(usize, &Value)> = lines.iter().enumerate().filter(kept).collect();
    let at = kept.iter().position(|(at, _)| *at == place).unwrap();
    (kept.into_iter().map(|(_, line)| line.clone()).collect(), at)
}

#[tokio::test]
async fn what_is_removed_doubled_moved_or_forged_is_found_or_is_known_to_be_unseen() {
    let lines = traffic(7).await;
    let ended = verify(&lines).await;
    assert_eq!((ended.code, &*ended.out), (0, ""), "{}", ended.err);
    let mut places: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    let inner = lines.iter().enumerate().skip(4).take(lines.len() - 8);
    for (place, line) in inner.filter(|(_, line)| line.get("audit.event").is_some()) {
        places.entry(kind(line)).or_default().push(place);
    }
    // The first line of each kind, and one from the middle.
    let chosen = places.iter().flat_map(|((event, ..), places)| {
        BTreeSet::from([places[0], places[places.len() / 2]]).into_iter().map(move |place| (event, place))
    });
    let tried = chosen.flat_map(|(event, place)| FORGERIES.map(|forgery| (event, place, forgery)));
    let unseen = iter(tried).map(async |(event, place, (how, forge))| {
        let (some, at) = related(&lines, place);
        let mut forged = some.clone();
        forge(&mut forged, at);
        (forged != some && findings(&forged).await.is_empty()).then_some((how, event.as_str()))
    });
    let unseen: Vec<_> = unseen.buffer_unordered(4).filter_map(async |unseen| unseen).collect().await;
    let mut by_forgery: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (how, event) in unseen {
        by_forgery.entry(how).or_default().insert(event);
    }
    let known = UNSEEN.iter().map(|(how, events)| (*how, events.iter().copied().collect()));
    assert_eq!(by_forgery, known.collect::<BTreeMap<&str, BTreeSet<&str>>>());
    // Every event that the service records is among the lines.
    let source = std::fs::read_to_string(journeys::generated::path("shared/src/log/audit.rs")).unwrap();
    let names = source
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Self::")?.split_once("=> \"")?.1.strip_suffix("\","));
    let methods_and_reasons = ["password", "passkey", "google"];
    let is_missing =
        |name: &&str| !methods_and_reasons.contains(name) && places.keys().all(|(event, ..)| event != name);
    let missing: Vec<_> = names.filter(is_missing).collect();
    assert_eq!(missing, [""; 0]);
}
