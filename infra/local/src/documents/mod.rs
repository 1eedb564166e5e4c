//! What the stack reads from the documents of the project, so that nothing is written a second time here.

pub(crate) mod api_page;
pub(crate) mod hosting;
pub mod openapi;
pub mod template;
