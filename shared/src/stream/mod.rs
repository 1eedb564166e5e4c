//! The stream of the accounts table. A listener is a function that receives every change of an account after the table
//! has confirmed it.
//!
//! Lambda delivers the changes in batches, at least once. If a dependency fails, the change is reported as failed, and
//! Lambda delivers it again. A change that can never be handled goes to the dead-letter queue, so that it does not stop
//! the changes after it.

mod batch;
mod dead_letters;
mod event_bus;
mod record;

pub use batch::{Batches, Response};
pub use dead_letters::{DeadLetter, DeadLetters};
pub use event_bus::{BusEvent, Detail, EventBus};
pub use record::{Change, Login};

use crate::system::clock::Timestamp;
use crate::{Fault, Setup};

/// What a function does with each change.
#[diagnostic::on_unimplemented(
    note = "the local stack treats a function that `infra/openapi` does not describe as a listener; if this is an endpoint, describe it"
)]
pub trait Listener: Send + Sync + 'static {
    /// The name of the crate, in log lines.
    const NAME: &'static str;

    /// Builds the listener from the settings. Faulty settings are reported to the setup.
    fn new(setup: &Setup) -> Self;

    /// Handles one change. The change may have been handled before.
    fn handle(&self, change: &Change) -> impl Future<Output = Result<Outcome, Failure>> + Send;

    /// Handles one login. The login may have been handled before.
    fn handle_login(&self, login: &Login) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Erases what a deleted account has left in other partitions and tables. `deleted_at` is the time of the deletion. This method is
    /// called at least twice for each deleted account: after the deletion, and at least an hour later. By then, an
    /// import may have created an account with the same id.
    fn erase(&self, account_id: u64, deleted_at: Timestamp) -> impl Future<Output = Result<(), Failure>> + Send;
}

/// The outcome of a change that was handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// A letter was sent.
    Notified,
    /// No letter had to be sent.
    NothingToDo,
}

/// The reason why a change was not handled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// A dependency failed. The change is delivered again.
    Transient(Fault),
    /// Its events could not be published. The change is delivered again, and the changes after it are handled meanwhile,
    /// so that a bus that is down holds up no letter. The outcome is that of its letter.
    Unpublished(Fault, Outcome),
    /// The change cannot be handled, however often it is delivered.
    Permanent(Fault),
    /// Its events could not be published for too long. They go to the dead-letter queue.
    Unpublishable(Fault, Vec<BusEvent>),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Transient(fault)
    }
}
