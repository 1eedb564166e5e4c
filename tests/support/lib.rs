//! What the journeys have in common: a service to call, visitors with a browser's habits, and the
//! answers they get. The claims are in `black_box/`, `providers/`, `embedded/`, `on_lambda/` and `load/`.

mod answer;
mod contract;
mod embedded;
pub mod endpoints;
mod mails;
mod proxy;
mod service;
mod visitor;

pub use answer::Answer;
pub use contract::Contract;
pub use embedded::{Embedded, FRONT_END, Item, dynamodb, items};
pub use endpoints::{ENDPOINTS, Endpoint, paths};
pub use proxy::{Billed, Failure, Proxy};
pub use service::Service;
pub use visitor::{PASSWORD, Visitor};
