//! The support library of the tests: the service under test, visitors that behave like browsers, and answers. The tests
//! are in `black_box/`, `embedded/` and `providers/`.

mod answer;
pub mod bodies;
pub mod capacity;
mod contract;
mod embedded;
pub mod endpoints;
mod folder;
mod gate;
pub mod generated;
mod mails;
mod passkeys;
mod proxy;
pub mod sentences;
mod server;
mod service;
mod visitor;

pub use answer::Answer;
pub use contract::Contract;
pub use embedded::{Embedded, FRONT_END, Item, dynamodb, items};
pub use endpoints::{ENDPOINTS, Endpoint, paths};
pub use stand_ins::authenticator;

pub use folder::{Folder, Nowhere};
pub use gate::{Fate, Gate, Held};

pub use proxy::{Billed, Failure, Proxy};
pub use server::serve;
pub use service::{Service, plain_client};
pub use visitor::{PASSWORD, Visitor};
