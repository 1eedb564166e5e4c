//! Email with SES. Every email has an HTML part and a text part.

mod letter;
mod mailer;

pub use letter::{Letter, Letters, Notice};
pub use mailer::Mailer;
