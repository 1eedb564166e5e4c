//! Sessions and reset tokens: their lifetimes, the limit of sessions of one account, and disabled accounts.

mod disabled;
mod lifetimes;
mod many_sessions;
