//! The local stack: the whole service in one process. It has the front end and the functions behind a gateway, the
//! tables in an embedded engine, a mailbox and an identity provider.
//!
//! It needs no Docker and no AWS account. It reads routes, tables and environments from `template.yaml`, and the
//! path patterns of the API and the headers of the pages from `infra/web.yaml`, so an omission in the templates shows
//! here too. The entry point is [`Stack::start`]; `make dev` and the black-box tests use it.

/// The documents of the project, which the stack reads so that nothing is repeated here.
mod documents {
    pub(crate) mod api_page;
    pub(crate) mod hosting;
    pub mod openapi;
    pub mod template;
}
/// What surrounds the functions, which `functions/` starts.
mod functions {
    pub(crate) mod environment;
    pub(crate) mod remote;
    pub(crate) mod stream;
}
mod gateway;
/// Serving over HTTP: servers on loopback, who may call them, the front end, and the layout of the stack's own pages.
mod http {
    pub(crate) mod guard;
    pub(crate) mod page;
    pub(crate) mod server;
    pub(crate) mod web;
}
mod options;
/// Replacements for the services of AWS and Google that functions and pages call.
mod replacements {
    pub(crate) mod chooser;
    pub(crate) mod event_bus;
    pub(crate) mod inbox;
    pub(crate) mod mailbox;
    pub(crate) mod provider;
    pub(crate) mod queue;
    pub(crate) mod secrets;
}
mod stack;
/// The tables: the embedded engine, its storage and its port.
mod tables {
    pub(crate) mod creation;
    pub(crate) mod data;
    pub(crate) mod engine;
}

pub use documents::openapi::{self, OpenApi};
pub use documents::template::{self, Template};
pub use local_functions::{Function, start_function};
pub use options::{Delivery, Options};
pub use replacements::mailbox::Mail;
pub use replacements::provider::KEYS_PATH;
pub use stack::{Stack, StartError, environment};
pub use tables::data::Data;
