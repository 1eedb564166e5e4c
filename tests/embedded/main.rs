//! Tests that need access to the stack.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper of a test panics like the test; clippy excepts only test functions"
)]

/// Attacks from outside: guessing passwords, injected text, taking over an account.
mod attacks {
    mod altcha;
    mod attempts;
    mod captcha;
    mod common_passwords;
    mod injection;
    mod takeover;
    mod thief;
}
mod concurrency;
/// What a request costs, and what a change of an account costs in the function `notices`: calls to other services, read
/// and write units of the tables, hashes and mails. The costs are counted, not measured.
mod costs {
    mod budget;
    mod hashes;
    mod scale;
}
/// What is deployed: the permissions of the template, the settings, other origins.
mod deployment {
    mod front;
    mod origins;
    mod policies;
    mod settings;
}
/// Other services that fail or are slow: a sweep over every call, and single outages.
mod failures {
    mod faults;
    mod outages;
}
mod functions;
mod induction;
mod letters;
/// The parts that only the local stack has: its own pages, the guard before them, and data in a folder.
mod local_stack {
    mod guard;
    mod pages;
    mod restart;
}
mod notices;
/// What operators read: log lines and audit lines.
mod operations {
    pub(crate) mod audit;
    mod callers;
    mod logs;
}
mod passkeys;
/// Sessions and reset tokens: their lifetimes, the list and the limit of an account's sessions, known browsers, and
/// disabled accounts.
mod sessions {
    mod authorizer;
    mod disabled;
    mod ended_for_all;
    mod known_browsers;
    mod lifetimes;
    mod many_sessions;
}
/// The content of the tables: no secrets, no remains of deleted accounts, broken and extreme rows.
mod tables {
    mod data;
    mod edges;
    mod exported;
    mod owned;
}

/// The functions' allocator. It saves a tenth of the tests' time.
#[global_allocator]
static ALLOCATOR: shared::lambda::Allocator = shared::lambda::Allocator;
