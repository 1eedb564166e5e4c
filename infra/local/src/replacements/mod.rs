//! Replacements for the services of AWS and Google that functions and pages call.

pub(crate) mod chooser;
pub(crate) mod inbox;
pub(crate) mod mailbox;
pub(crate) mod provider;
pub(crate) mod queue;
pub(crate) mod secrets;
