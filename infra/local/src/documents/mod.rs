//! The documents of the project, which the stack reads so that nothing is repeated here.

pub(crate) mod api_page;
pub(crate) mod hosting;
pub mod openapi;
pub mod template;
