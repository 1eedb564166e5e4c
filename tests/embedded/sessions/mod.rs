//! Sessions and reset tokens: their lifetimes, the list and the limit of an account's sessions, known browsers, and
//! disabled accounts.

mod cooldown;
mod disabled;
mod known_browsers;
mod lifetimes;
mod listed;
mod many_sessions;
mod signed_in;
