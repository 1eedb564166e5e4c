//! What every endpoint needs and none owns.
//!
//! A request flows one way: [`lambda`] (or the local gateway) → [`endpoint`] → the endpoint's rule → [`store`] → the
//! table. Only `Result<Reply, Problem>` comes back.
//!
//! The modules, from the lowest to the highest. Each uses only those above it in this list; a test checks that.
//!
//! - [`problem`]: what can stop a call, and the sentences that users read
//! - [`system`]: the clock, randomness, HTTPS
//! - [`settings`]: the environment variables
//! - [`log`]: the line of a call, metrics, security events
//! - `aws`: credentials, connections, timeouts and retries of the AWS clients
//! - `setup`: what every part is built from, once at start
//! - [`password`]: the rules of passwords, and Argon2id
//! - [`account`]: an account and the values that it is made of
//! - [`store`]: the tables
//! - [`mail`]: the letters and their sender
//! - [`captcha`]: bot protection at login
//! - [`endpoint`]: the way of every call through guard, body, rule and answer
//! - [`google`]: the sign-in by Google
//! - [`lambda`]: the `main` of every function

pub mod account;
mod aws;
#[cfg(feature = "captcha")]
pub mod captcha;
pub mod endpoint;
#[cfg(feature = "google")]
pub mod google;
pub mod lambda;
pub mod log;
#[cfg(feature = "mail")]
pub mod mail;
pub mod password;
pub mod problem;
#[cfg(test)]
mod rooms;
pub mod settings;
mod setup;
pub mod store;
pub mod system;

pub use account::{Account, AccountKey, Email, FullName, Token};
pub use endpoint::body::{Form, Json, NoBody, ReadBody, checkbox};
pub use endpoint::caller::{Owner, Public, Signed};
pub use endpoint::reply::Reply;
pub use endpoint::{Call, Endpoint};
pub use password::{NewPassword, Password, Passwords};
pub use problem::{Fault, Problem, success};
pub use settings::{FrontEnd, Settings, SettingsError};
pub use setup::{HashCost, Setup};
