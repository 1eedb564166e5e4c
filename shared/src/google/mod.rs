//! The identity provider: its keys, and the credentials that it signs.

mod claims;
mod credential;
mod keys;

pub use credential::Credentials;
