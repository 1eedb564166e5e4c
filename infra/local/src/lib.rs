//! The local stack: the whole service in one process. It has the front end and the functions behind a gateway, the
//! tables in an embedded engine, a mailbox and an identity provider.
//!
//! It needs no Docker and no AWS account. It reads routes, tables and environments from `template.yaml`, and paths and
//! headers of the front end from `infra/web.yaml`, so an omission in the templates shows here too. The entry point is
//! [`Stack::start`]; `make dev` and the black-box tests use it.

mod chooser;
mod data;
mod engine;
mod environment;
mod functions;
mod gateway;
mod guard;
mod hosting;
mod inbox;
mod mailbox;
pub mod openapi;
mod options;
mod page;
mod provider;
mod queue;
mod secrets;
mod server;
mod stack;
mod stream;
mod tables;
pub mod template;
mod web;

pub use data::Data;
pub use functions::{Function, start_function};
pub use mailbox::Mail;
pub use openapi::OpenApi;
pub use options::{Delivery, Options};
pub use provider::KEYS_PATH;
pub use stack::{Stack, StartError, environment};
pub use template::Template;
