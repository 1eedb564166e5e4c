//! The emails of the service, and their sender.
//!
//! A letter is one value, which two templates write as HTML and as text, so that both agree. An email loads nothing.
//! Its styles are attributes, because some mail programs remove style sheets; a style sheet adds only dark mode and
//! narrow screens. Times are in UTC, because the service does not know where the user is.

mod frame;
mod letter;
mod mailer;
mod moment;
mod product;
mod removed;
#[cfg(test)]
mod tests;

pub use letter::{GoogleLinkFacts, Letter, Letters, NewPasswordFacts, Notice};
pub use mailer::Mailer;
