//! The library that all endpoints share.
//!
//! A request passes these layers in order: [`lambda`], [`endpoint`], the endpoint's rule, [`store`], the table. The
//! rule returns `Result<Reply, Problem>`.
//!
//! The modules are listed from the lowest layer to the highest. A module uses only modules above it in this list; a
//! test checks this.
//!
//! - [`problem`]: the errors of a call, and the messages that users read
//! - [`system`]: the clock, randomness, HTTPS
//! - [`settings`]: the environment variables
//! - [`log`]: the log line of each call, metrics, security events
//! - `aws`: credentials, connections, timeouts and retries of the AWS clients
//! - `setup`: the dependencies that every part is built from, once at start
//! - [`password`]: the password policy, and Argon2id
//! - [`account`]: an account and its values
//! - [`store`]: the tables
//! - [`mail`]: the emails and their sender
//! - [`captcha`]: bot protection at login
//! - `stream`: the changes of accounts, for the function that notifies their owners
//! - [`passkey`]: passkeys (WebAuthn): their challenges, and the verification of their answers
//! - [`endpoint`]: the processing of every call: method, caller, body, rule, answer
//! - [`google`]: Google sign-in
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
#[cfg(feature = "passkeys")]
pub mod passkey;
pub mod password;
pub mod problem;
#[cfg(test)]
mod rooms;
pub mod settings;
mod setup;
pub mod store;
#[cfg(feature = "stream")]
pub mod stream;
pub mod system;

pub use account::{Account, AccountKey, BrowserName, BrowserSecret, Email, FullName, Token};
pub use endpoint::body::{Form, Json, NoBody, ReadBody, checkbox};
pub use endpoint::caller::{Anyone, Proved, Public, Signed};
pub use endpoint::proof::ProofAge;
pub use endpoint::reply::Reply;
pub use endpoint::{Call, Client, Endpoint};
pub use password::{CommonPasswords, NewPassword, Password, Passwords};
pub use problem::{Fault, Problem, success};
pub use settings::{FrontEnd, NoticesSetting, Settings, SettingsError};
pub use setup::{HashCost, OperatorAccess, Setup};
