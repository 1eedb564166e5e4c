//! The guards without which a write is accepted in no more states, each with the reason why it stays.

const UNSOUND: &str =
    "In no sound state does the row belong to another account. It protects what is left of a damaged table.";
const RAISED: &str =
    "What it compares changes only with the generation or the id, which another guard of the write compares.";
const NEXT: &str = "The row would be of a generation that the account does not have yet, so it is in no sound state.";
const NEWER: &str = "A new account of the address has another nonce or generation too, unless this one was as new.";
const THERE: &str = "Without an id, nothing else of a broken profile shows that it is there.";
const OWN: &str = "It recognises the first attempt of the same write, whose answer was lost.";

/// A part of a write with its guard, and the reason.
const REASONS: [(&str, &str); 27] = [
    ("Delete /profile#address: #account = :v0", UNSOUND),
    ("Update /profile: #email = :v1", RAISED),
    ("Delete /profile: #email = :v1", RAISED),
    ("Delete /profile: attribute_not_exists(#disabled_at)", RAISED),
    ("ConditionCheck /profile: #id = :v0", NEWER),
    ("ConditionCheck /profile: attribute_exists(#pk)", THERE),
    ("Delete /profile: attribute_exists(#pk)", THERE),
    (
        "Delete /passkey: (attribute_not_exists(#account) OR #account = :v0)",
        "The repair deletes rows of two kinds, and only the other kind has this attribute.",
    ),
    ("Update /profile: attribute_not_exists(#disabled_at)", RAISED),
    ("Update /profile: #id = :v0", RAISED),
    ("Update /profile: #id = :v1", RAISED),
    ("Update /profile: #email = :v2", RAISED),
    ("Update /profile: #email = :v3", RAISED),
    ("Update /session: #id = :v0", RAISED),
    ("Update /session: #generation = :v1", RAISED),
    ("Update /passkey: #id = :v0", RAISED),
    ("Delete /profile: #id = :v0", RAISED),
    ("Put /session: attribute_not_exists(#pk)", NEXT),
    ("Put /passkey: attribute_not_exists(#pk)", UNSOUND),
    ("Delete credential/credential: (attribute_not_exists(#pk) OR #account = :v0)", UNSOUND),
    ("Delete google/identity: (attribute_not_exists(#pk) OR #account = :v0)", UNSOUND),
    ("Delete /profile#address: (attribute_not_exists(#pk) OR #account = :v0)", UNSOUND),
    ("Update mails/changes: (attribute_not_exists(#nonce) OR #nonce <> :v1)", OWN),
    ("Update /failures: (attribute_not_exists(#nonce) OR #nonce <> :v1)", OWN),
    (
        "Update /profile: attribute_not_exists(#former_emails)",
        "The lock of an account that has moved is another write, which gives the address of before back.",
    ),
    (
        "ConditionCheck /profile: (attribute_not_exists(#pk) OR #email <> :v0)",
        "Whoever gets this address back takes its pointer, which another guard of the write compares.",
    ),
    (
        "Update /passkey: #counter = :v1",
        "Of two logins with one counter, as of a copied passkey, the second is refused. Both leave sound rows.",
    ),
];

/// The reason why a guard stays; `None` if it is superfluous.
pub(super) fn reason(guard: &str) -> Option<&'static str> {
    let (_, guard) = guard.split_once(", ")?;
    REASONS.into_iter().find(|(known, _)| *known == guard).map(|(_, reason)| reason)
}

/// The entries that none of these guards needs.
pub(super) fn unused(guards: &[&str]) -> Vec<&'static str> {
    let is_needed =
        |known: &str| guards.iter().any(|guard| guard.split_once(", ").is_some_and(|(_, guard)| guard == known));
    REASONS.into_iter().map(|(known, _)| known).filter(|known| !is_needed(known)).collect()
}
