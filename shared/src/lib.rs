//! What every endpoint needs and none owns: guards, bodies, answers, settings, the store, mail and
//! the identity provider's credentials.
//!
//! A request flows one way: [`lambda`] (or the local gateway) → [`endpoint`] → the endpoint's rule →
//! [`store`] → the table. Nothing flows back but `Result<Reply, Problem>`.

pub mod account;
mod argon2id;
pub mod audit;
pub mod avatar;
mod aws;
pub mod body;
pub mod caller;
#[cfg(feature = "captcha")]
pub mod captcha;
mod checkbox;
pub mod clock;
pub mod cookies;
pub mod email;
pub mod endpoint;
pub mod full_name;
#[cfg(feature = "google")]
pub mod google;
mod https;
mod json_object;
pub mod lambda;
pub mod log;
#[cfg(feature = "mail")]
pub mod mail;
mod messages;
mod metrics;
mod object;
pub mod password;
pub mod passwords;
pub mod problem;
pub mod random;
pub mod reply;
pub mod request;
mod settings;
pub mod store;
pub mod token;

pub use account::{Account, AccountKey};
pub use body::{Fields, Form, FromFields, Json, NoBody, ReadBody};
pub use caller::{Owner, Public, Signed};
pub use checkbox::checkbox;
pub use email::Email;
pub use endpoint::{Call, Endpoint};
pub use full_name::FullName;
pub use messages::success;
pub use password::{NewPassword, Password};
pub use passwords::Passwords;
pub use problem::{Fault, Problem};
pub use reply::Reply;
pub use settings::{SettingsError, Setup};
pub use token::Token;
