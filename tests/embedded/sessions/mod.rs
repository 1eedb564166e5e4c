//! Sessions and reset tokens: their lifetimes, their list, the limit of sessions of one account, and disabled accounts.

mod cooldown;
mod disabled;
mod known_browsers;
mod lifetimes;
mod listed;
mod many_sessions;
mod signed_in;
