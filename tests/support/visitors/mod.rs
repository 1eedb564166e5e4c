//! The service under test as visitors see it: calls, answers, passkeys and mails.

mod answer;
mod mails;
mod passkeys;
pub(crate) mod service;
mod visitor;

pub use answer::Answer;
pub use service::{Service, plain_client};
pub use visitor::{PASSWORD, Visitor};
