//! Accounts whose profile cannot be read. They can be named and erased.

use serde::Serialize;
use shared::store::Deleted;
use shared::store::operator::Broken;
use shared::system::clock::{Clock, SystemClock};
use shared::{AccountKey, Fault};

use crate::cli::{Destroying, Target};
use crate::connection::Deployment;
use crate::failure::{Done, Failure};
use crate::trail::{Event, Subject, Trail};
use crate::{lookup, output};

use super::changing::gone;

/// The prefix of an account's key. It names an account that neither its address nor its id finds.
const KEY: &str = "key:";

#[derive(Serialize)]
struct Erased<'a> {
    id: Option<u64>,
    key: &'a str,
    reason: &'a str,
    change: Event,
    dry_run: bool,
}

/// The key of the account that `who` names.
pub(super) async fn key(deployment: &Deployment, who: &str) -> Result<AccountKey, Failure> {
    match who.strip_prefix(KEY) {
        Some(text) => {
            AccountKey::parse(text).ok_or_else(|| Failure::Usage(format!("{text} is not the key of an account")))
        }
        None => lookup::key(deployment, who).await,
    }
}

/// The failure of a command on an account that could not be read: it says what is wrong, if the account is broken.
pub(super) async fn explained(deployment: &Deployment, key: &AccountKey, fault: Fault) -> Failure {
    match deployment.operator.broken(key).await {
        Ok(Some(broken)) => {
            let (key, reason) = (key.as_str(), &broken.reason);
            Failure::Failed(format!(
                "the profile of the account {KEY}{key} cannot be read ({reason}): repair this attribute with `aws dynamodb \
                 update-item`, or erase the account with `accounts erase {KEY}{key}`"
            ))
        }
        _ => fault.into(),
    }
}

/// Erases a broken account and everything that belongs to it.
pub(super) async fn erase(
    target: &Target,
    destroying: &Destroying,
    deployment: &Deployment,
    broken: &Broken,
) -> Result<Done, Failure> {
    let (order, key) = (&destroying.confirmed.order, broken.key.as_str());
    let question = format!(
        "The profile of this account cannot be read ({}). This erases it and everything that belongs to it. Type its key, \
         {key}: ",
        broken.reason
    );
    destroying.confirmed.ask(&question, key)?;
    if let Some(trail) = Trail::unless_dry(deployment, order).await? {
        let erasing = Box::pin(async {
            let is_erased = deployment.operator.erase_broken(broken).await?;
            if let Some(id) = broken.id {
                // The stream's function cannot read the account's id in what was deleted.
                deployment.erasures.request(&Deleted { id, at: SystemClock.now(), run: None }).await?;
            }
            Ok(is_erased)
        });
        let subject = broken.id.map_or_else(|| Subject::Row(key.to_owned()), Subject::Account);
        if trail.record_all(Event::AccountErased, vec![(subject, erasing)]).await? != [true] {
            return Err(gone("the account"));
        }
        if broken.id.is_none() {
            output::note("its id cannot be read, so its entries stay");
        }
        output::note("`accounts doctor --data --fix` deletes rows that still name it");
    }
    let Broken { id, reason, .. } = broken;
    output::fields(
        target.json,
        &Erased { id: *id, key, reason, change: Event::AccountErased, dry_run: order.dry_run },
    )?;
    Ok(Done::All)
}
