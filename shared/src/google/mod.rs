//! The identity provider: its keys, and the credentials that it signs.

mod claims;
mod credential;
mod keys;
mod signature;

pub use credential::Credentials;
