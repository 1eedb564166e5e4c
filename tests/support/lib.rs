//! The support library of the tests: the service under test, visitors that behave like browsers, and answers. The tests
//! are in `black_box/`, `embedded/`, `interleavings/`, `load/`, `on_lambda/` and `providers/`.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::panic,
    clippy::return_self_not_must_use,
    clippy::unwrap_used,
    reason = "its callers are tests, which must fail if anything that they need does"
)]

pub mod bodies;
pub mod changes;
mod contract;
pub mod events;
pub mod generated;
pub mod proofs;
pub mod requests;
pub mod rows;
pub mod sentences;
pub mod sound;
mod stack;
/// The service under test as visitors see it: calls, answers, passkeys and mails.
mod visitors {
    pub(crate) mod answer;
    mod passkeys;
    pub(crate) mod service;
    pub(crate) mod visitor;
}

pub use contract::Contract;
pub use requests::{ENDPOINTS, Endpoint, Request, paths};
pub use stack::{
    Billed, ClosedPort, Embedded, FRONT_END, Failure, Fate, Folder, Gate, HeldCall, Item, Nowhere, Proxy, dynamodb,
    items, serve, unrecorded,
};
pub use stand_ins::authenticator;
pub use visitors::answer::Answer;
pub use visitors::service::{Service, plain_client};
pub use visitors::visitor::{PASSWORD, Visitor};
