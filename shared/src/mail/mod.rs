//! The emails of the service, and their sender.

mod frame;
mod letter;
mod mailer;
mod moment;
mod product;
#[cfg(test)]
mod tests;

pub use letter::{Letter, Letters, Notice};
pub use mailer::Mailer;
