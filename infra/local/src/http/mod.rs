//! Serving over HTTP: servers on loopback, who may call them, the front end, and the layout of the stack's own pages.

pub(crate) mod guard;
pub(crate) mod page;
pub(crate) mod server;
pub(crate) mod web;
