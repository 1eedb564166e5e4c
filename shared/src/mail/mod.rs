//! Mail by SES: the letters that the service sends, each in HTML and text.

mod letter;
mod mailer;

pub use letter::Letter;
pub use mailer::Mailer;
