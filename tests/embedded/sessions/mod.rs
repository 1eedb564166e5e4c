//! Sessions and reset tokens: their lifetimes, and the limit of sessions of one account.

mod lifetimes;
mod many_sessions;
