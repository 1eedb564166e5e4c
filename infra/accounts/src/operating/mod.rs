//! The operator's commands that look after accounts: they show accounts, sessions, passkeys and entries, change one account
//! or many, read the security events and the log, and count.
//!
//! Every change is recorded by two audit lines that name the operator ([`crate::trail`]): its intent before the table is
//! written, and its outcome afterwards.

mod auditing;
mod broken;
mod changing;
mod emails;
mod entries;
mod legacy;
mod passkeys;
mod resetting;
mod restored;
mod restoring;
mod searching;
mod sessions;
mod showing;
mod stats;

use shared::store::Partition;
use shared::store::operator::Action;
use shared::system::clock::{Clock, SystemClock};

use crate::cli::{EntriesCommand, Operating, PasskeysCommand, SessionsCommand, Target};
use crate::connection::Deployment;
use crate::exporting::rfc3339;
use crate::failure::{Done, Failure};
use crate::lookup::Named;

/// Why the commands that follow a restore need a stack in AWS.
const NO_BACKUPS: &str = "name the stack with --stack: the local stack has no backups and no log";

/// Runs a command.
pub(crate) async fn run(target: &Target, command: &Operating) -> Result<Done, Failure> {
    match command {
        Operating::Show { who } => showing::show(target, who).await,
        Operating::Sessions(command) => match (&command.end, &command.who) {
            (Some(SessionsCommand::End(ending)), _) => sessions::end(target, ending).await,
            (Some(SessionsCommand::EndAll(ending)), _) => sessions::end_all(target, ending).await,
            (None, Some(who)) => sessions::list(target, who).await,
            (None, None) => Err(unnamed()),
        },
        Operating::Passkeys(command) => match (&command.remove, &command.who) {
            (Some(PasskeysCommand::Remove(discarding)), _) => passkeys::remove(target, discarding).await,
            (None, Some(who)) => passkeys::list(target, who).await,
            (None, None) => Err(unnamed()),
        },
        Operating::Disable(ordered) => changing::change(target, ordered, Action::Disable(SystemClock.now())).await,
        Operating::Enable(ordered) => changing::change(target, ordered, Action::Enable).await,
        Operating::ForceReset(ordered) => resetting::force_reset(target, ordered).await,
        Operating::Lock(ordered) => changing::lock(target, ordered).await,
        Operating::Verify(ordered) => changing::verify(target, ordered).await,
        Operating::SetEmail(setting) => emails::set(target, setting).await,
        Operating::Erase(erasing) => changing::erase(target, erasing).await,
        Operating::Restore(options) => restoring::restore(target, options).await,
        Operating::Audit(auditing) => auditing::audit(target, auditing).await,
        Operating::Log(options) => searching::search(target, options).await,
        Operating::Entries(entries) => match &entries.command {
            EntriesCommand::Export { who } => entries::export(target, who).await,
            EntriesCommand::EraseDeleted(options) => entries::erase_deleted(target, options).await,
        },
        Operating::Stats(options) => stats::stats(target, options).await,
        Operating::PrepareRestored(options) => restored::prepare(target, options).await,
        Operating::Legacy(command) => legacy::run(target, command).await,
    }
}

/// The command names no account.
fn unnamed() -> Failure {
    Failure::Usage("name the account: an address, an id, google:SUB or key:KEY".to_owned())
}

/// Everything of the account that `who` names.
async fn partition(deployment: &Deployment, who: &str) -> Result<Partition, Failure> {
    Named::of(deployment, who).await?.partition(deployment).await
}

/// A time in RFC 3339; `None` for 0, which stands for an unknown time.
fn time(seconds: u64) -> Option<String> {
    if seconds == 0 { None } else { rfc3339(seconds) }
}
