//! The invariants of the accounts table: those of `accounts doctor --data`, and some that only hold if no operator has
//! changed the table.

use table_checks::Kind;

use crate::rows::text;
use crate::{Embedded, Item};

/// The attributes of every account.
const ATTRIBUTES: [&str; 8] =
    ["id", "email", "name", "url_image", "accept_news", "email_verified", "generation", "created_at"];
/// The mailed tokens of an account, each with a hash and an expiry.
const TOKENS: [&str; 2] = ["reset", "verify"];

/// Asserts the invariants.
pub async fn assert_sound(stack: &Embedded) {
    let faults = faults(&stack.items("accounts").await, |_| true);
    assert!(faults.is_empty(), "{faults:#?}");
}

/// The violated invariants of these items, as far as a damage's kind is `judged`. Rows may be deleted as late as they
/// want, because most stacks of tests have no TTL.
pub fn faults(items: &[Item], judged: fn(Kind) -> bool) -> Vec<String> {
    let damages = table_checks::damages(items.iter().cloned(), 0).unwrap();
    let damages = damages.into_iter().filter(|damage| judged(damage.kind));
    let damages = damages.map(|damage| format!("{}: {}", damage.kind.damaged(), damage.shown));
    let early = items.iter().filter_map(|item| early(item, items));
    damages.chain(items.iter().filter_map(incomplete)).chain(early).collect()
}

/// An account without some attribute, without a way to sign in although it is not locked, or with half a token.
fn incomplete(item: &Item) -> Option<String> {
    let has = |name: &str| item.contains_key(name);
    let is_halved = |token: &&str| has(&format!("{token}_hash")) != has(&format!("{token}_expires_at"));
    let is_complete =
        ATTRIBUTES.into_iter().all(has) && ["password", "google_sub", "passkeys", "locked_at"].into_iter().any(has);
    let is_profile = text(item, "sk") == "profile";
    (is_profile && (!is_complete || TOKENS.iter().any(is_halved))).then(|| format!("an incomplete account: {item:?}"))
}

/// A session of a later generation than its account's.
fn early(item: &Item, items: &[Item]) -> Option<String> {
    let is_session = text(item, "sk").starts_with("session#");
    let is_of = |profile: &&Item| {
        text(profile, "sk") == "profile" && ["pk", "id"].into_iter().all(|name| text(profile, name) == text(item, name))
    };
    let profile = items.iter().filter(|_| is_session).find(is_of)?;
    let generation = |item: &Item| text(item, "generation").parse::<u64>().unwrap();
    (generation(item) > generation(profile)).then(|| format!("a session of a later generation: {item:?}"))
}
