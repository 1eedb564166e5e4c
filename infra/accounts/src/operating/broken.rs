//! Erases accounts whose profile cannot be read.

use serde::Serialize;
use shared::store::Deleted;
use shared::store::operator::Broken;
use shared::system::clock::{Clock, SystemClock};

use crate::cli::{Destroying, Target};
use crate::connection::Deployment;
use crate::failure::{Done, Failure};
use crate::output;
use crate::trail::{Event, Subject, Trail};

use super::changing::gone;

#[derive(Serialize)]
struct Erased<'a> {
    id: Option<u64>,
    key: &'a str,
    reason: &'a str,
    change: Event,
    dry_run: bool,
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
