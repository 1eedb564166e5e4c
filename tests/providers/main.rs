//! Tests of the sign-in with the identity provider, and of entries.
#![cfg(test)]

mod claims;
mod credentials;
mod entries;
mod google_linking;
mod google_login;
mod google_redirect;
mod google_unlinking;
mod keys;
mod parallel;
mod provider;
mod receive_data;
