//! The invariants of the tables, and the format of a failure.

use journeys::{Answer, Embedded, Item};
use serde_json::{Value, json};

use crate::support::rows;

/// Whether this is the answer that every failure gets.
pub(crate) fn is_failure(answer: &Answer) -> bool {
    let body = json!({"success": false, "message": "Error interno del servidor"});
    let bare = answer.set_cookies().is_empty() && answer.header("content-type") == "application/json; charset=utf-8";
    answer.status == 500 && bare && serde_json::from_str::<Value>(&answer.text).unwrap() == body
}

/// Asserts the invariants of the accounts table.
pub(crate) async fn assert_sound(stack: &Embedded) {
    let items = stack.items("accounts").await;
    let of = |sk: &str| items.iter().filter(move |item| rows::text(item, "sk") == sk).collect::<Vec<_>>();
    let (profiles, identities) = (of("profile"), of("identity"));
    for name in ["email", "id", "google_sub"] {
        assert_unique(name, &profiles);
    }
    for profile in &profiles {
        assert_whole(profile);
    }
    let confirmed = profiles.iter().map(|row| (rows::text(row, "google_sub"), rows::text(row, "pk")));
    let confirmed = sorted(confirmed.filter(|(sub, _)| !sub.is_empty()));
    let linked =
        identities.iter().map(|row| (rows::text(row, "pk").replace("google#", ""), rows::text(row, "account")));
    assert_eq!(sorted(linked), confirmed, "identities and accounts do not agree");
    assert_passkeys(&items, &profiles);
    for session in items.iter().filter(|item| rows::text(item, "sk").starts_with("session#")) {
        let pk = rows::text(session, "pk");
        assert!(
            profiles.iter().any(|profile| rows::text(profile, "pk") == pk),
            "a session without an account: {session:?}"
        );
    }
}

/// Asserts that profiles, passkeys and pointers name each other.
fn assert_passkeys(items: &[Item], profiles: &[&Item]) {
    let named = profiles.iter().flat_map(|profile| {
        let ids = profile.get("passkeys").map(|ids| ids.as_ss().unwrap().clone()).unwrap_or_default();
        ids.into_iter().map(|id| (id, rows::text(profile, "pk")))
    });
    let named = sorted(named);
    let stored = items.iter().filter_map(|item| {
        let id = rows::text(item, "sk").strip_prefix("passkey#")?.to_owned();
        Some((id, rows::text(item, "pk")))
    });
    assert_eq!(sorted(stored), named, "profiles and passkeys do not agree");
    let pointers = items.iter().filter_map(|item| {
        let id = rows::text(item, "pk").strip_prefix("credential#")?.to_owned();
        Some((id, rows::text(item, "account")))
    });
    assert_eq!(sorted(pointers), named, "profiles and pointers do not agree");
}

/// Asserts that an email, an id or an identity belongs to at most one user.
fn assert_unique(name: &str, profiles: &[&Item]) {
    let values = profiles.iter().map(|row| rows::text(row, name)).filter(|value| !value.is_empty());
    let values = sorted(values);
    let mut once = values.clone();
    once.dedup();
    assert_eq!(once, values, "{name} is not unique");
}

/// Asserts that a user is complete: all attributes exist, there is a way to log in, and a reset token has an expiry.
fn assert_whole(profile: &Item) {
    let has = |name: &str| profile.contains_key(name);
    let members = ["id", "email", "name", "url_image", "accept_news", "email_verified", "generation", "created_at"];
    assert!(members.into_iter().all(has), "an incomplete user: {profile:?}");
    assert!(has("password") || has("google_sub"), "no way to log in: {profile:?}");
    assert_eq!(has("reset_hash"), has("reset_expires_at"), "an incomplete reset token: {profile:?}");
}

fn sorted<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    values.sort();
    values
}
