//! `accounts entries`: the entries of an account, and those of deleted accounts.

use serde::Serialize;
use shared::store::{Deleted, Position};

use crate::cli::{ErasingDeleted, Target};
use crate::connection::Deployment;
use crate::exporting::Entry;
use crate::failure::{Done, Failure};
use crate::interruption::Interruption;
use crate::trail::{CHUNK, Event, LogGroup, Logs, Subject, Trail};
use crate::{lookup, output};

use super::NO_BACKUPS;

/// The bytes after which lines are written: 4 MB.
const BYTES: usize = 4 << 20;

/// Prints the entries of an account as NDJSON, page by page.
pub(super) async fn export(target: &Target, who: &str) -> Result<Done, Failure> {
    let deployment = Deployment::of(target).await?;
    let id = lookup::id(&deployment, who).await?;
    let interruption = Interruption::watch();
    let (mut lines, mut after): (u64, Option<Position>) = (0, None);
    loop {
        let (mut text, mut unwritable) = (String::new(), None);
        let next = deployment.entries.read_of(id, after.as_ref(), |entry| {
            if text.len() >= BYTES {
                return Ok(false);
            }
            match output::json(&Entry::of(&entry)) {
                Ok(line) => text.extend([&line, "\n"]),
                Err(error) => unwritable = Some(error),
            }
            lines += 1;
            Ok(true)
        });
        after = next.await?;
        if let Some(error) = unwritable {
            return Err(Failure::Failed(format!("an entry cannot be written: {error}")));
        }
        output::ndjson(&text)?;
        if after.is_none() {
            output::note(&format!("{lines} entries"));
            return Ok(Done::All);
        }
        output::note(&format!("{lines} entries so far"));
        if interruption.has_come() {
            return Err(Failure::Failed(
                "interrupted. What was written is incomplete: run the command again".to_owned(),
            ));
        }
    }
}

#[derive(Serialize)]
struct Asked {
    dry_run: bool,
    /// The deleted accounts whose entries are erased.
    accounts: usize,
}

/// Asks the function `notices` to erase the entries of the accounts that were deleted since a moment. If an import has
/// created one of them again, its later entries stay.
pub(super) async fn erase_deleted(target: &Target, options: &ErasingDeleted) -> Result<Done, Failure> {
    let ErasingDeleted { moment, confirmed } = options;
    let (stack, order) = (target.in_aws(NO_BACKUPS)?, &confirmed.order);
    let deployment = Deployment::of(target).await?;
    let deleted = LogGroup::of(&deployment.config, stack, Logs::Functions).await?.erased_accounts(*moment).await?;
    let deleted: Vec<Deleted<'_>> = deleted.into_iter().map(|(id, at)| Deleted { id, at, run: None }).collect();
    let asked = Asked { dry_run: order.dry_run, accounts: deleted.len() };
    let question = format!("This erases the entries of {} accounts. Type `all` to go on: ", deleted.len());
    confirmed.ask(&question, "all")?;
    if let Some(trail) = Trail::unless_dry(&deployment, order).await? {
        let interruption = Interruption::watch();
        for (done, chunk) in deleted.chunks(CHUNK).enumerate() {
            interruption.check(done * CHUNK, "accounts")?;
            let erasures = &deployment.erasures;
            let asking = chunk.iter().map(|deleted| {
                let ask = async move { erasures.request(deleted).await.map(|_| true) };
                (Subject::Account(deleted.id), ask)
            });
            trail.record_all(Event::EntriesErased, asking.collect()).await?;
        }
    }
    output::fields(target.json, &asked)?;
    Ok(Done::All)
}
