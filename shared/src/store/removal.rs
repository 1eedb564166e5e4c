//! The removal of a way in: how it ends if the table refuses it.

use super::items::profile;
use super::table::{Outcome, Refused};
use crate::Fault;
use crate::account::Account;

/// The outcome of removing a passkey, or another way in.
pub enum Removed<T> {
    /// It is removed, and all sessions of the account have ended.
    Done(T),
    /// The account does not have it.
    Unknown,
    /// The caller's session has ended, or the account was deleted.
    NoSession,
}

/// The outcome of a removal, of which the writes up to `sessions` are of the profile and of the caller's sessions. A later
/// one is refused if its row belongs to another account, which is the fault `foreign`.
pub(in crate::store) fn removed<T>(
    outcome: Outcome<T>,
    account: &Account,
    sessions: usize,
    foreign: fn() -> Fault,
) -> Result<Removed<T>, Fault> {
    match outcome {
        Ok(done) => Ok(Removed::Done(done)),
        Err(refused) if refused.index > sessions => Err(foreign()),
        Err(refused) if refused.index > 0 => Ok(Removed::NoSession),
        Err(refused) => {
            let outcome = refused_by_profile(refused, account, |_| Removed::Unknown)?;
            Ok(outcome.unwrap_or(Removed::NoSession))
        }
    }
}

/// The outcome of a transaction that the profile's guard has refused: `outcome` for the current account, or `None` if it
/// was deleted, replaced or disabled, or has a new generation.
pub(in crate::store) fn refused_by_profile<T>(
    refused: Refused,
    read: &Account,
    outcome: impl FnOnce(&Account) -> T,
) -> Result<Option<T>, Fault> {
    let found = refused.item.map(profile::account).transpose()?;
    let same = |found: &Account| found.id == read.id && found.generation == read.generation && !found.is_disabled();
    Ok(found.filter(same).map(|found| outcome(&found)))
}
