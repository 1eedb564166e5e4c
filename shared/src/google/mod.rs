//! The sign-in by Google: the provider's keys, the credentials that it signs, and the rule of the sign-in.

mod claims;
mod credential;
mod keys;
mod sign_in;
mod signature;

pub use credential::Credentials;
pub use sign_in::{CredentialDocument, SignIn, SignedIn, Status};
