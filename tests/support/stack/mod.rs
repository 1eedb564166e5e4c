//! The stack of one test, and the parts around its functions: proxies, a small table, and servers in place of
//! providers.

pub mod capacity;
pub(crate) mod embedded;
mod folder;
mod gate;
pub(crate) mod open_files;
mod proxy;
mod server;

/// The variables of all functions that do not depend on a deployment.
fn template_defaults() -> std::collections::BTreeMap<String, String> {
    local::Template::of_this_project().unwrap().defaults()
}

pub use embedded::{Embedded, FRONT_END, Item, dynamodb, items};
pub use folder::{Folder, Nowhere};
pub use gate::{Fate, Gate, HeldCall};
pub use proxy::{Billed, Failure, Proxy};
pub use server::serve;
