//! The local stack: the whole service in one process. It has the front end and the functions behind a gateway, the
//! tables in an embedded engine, a mailbox and an identity provider.
//!
//! It needs no Docker and no AWS account. It reads routes, tables and environments from `template.yaml`, and the
//! path patterns of the API and the headers of the pages from `infra/web.yaml`, so an omission in the templates shows
//! here too. The entry point is [`Stack::start`]; `make dev` and the black-box tests use it.

mod documents;
mod functions;
mod gateway;
mod http;
mod options;
mod replacements;
mod stack;
mod tables;

pub use documents::openapi::{self, OpenApi};
pub use documents::template::{self, Template};
pub use functions::{Function, start_function};
pub use options::{Delivery, Options};
pub use replacements::mailbox::Mail;
pub use replacements::provider::KEYS_PATH;
pub use stack::{Stack, StartError, environment};
pub use tables::data::Data;
