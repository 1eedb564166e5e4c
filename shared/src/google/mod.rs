//! Google sign-in: the provider's keys, the verification of its credentials, and the sign-in itself.

mod claims;
mod credential;
mod keys;
mod sign_in;
mod signature;

pub use credential::CredentialVerifier;
#[cfg(feature = "operator")]
pub use keys::usable_keys;
pub use sign_in::{CredentialDocument, SignIn, SignedIn, Status};
