//! `accounts passkeys` and `passkeys remove`: the passkeys of an account.

use serde::Serialize;
use shared::store::{Backup, StoredPasskey};

use super::changing::Summary;
use super::{partition, time};
use crate::cli::{Discarding, Target};
use crate::connection::Deployment;
use crate::failure::{Done, Failure};
use crate::output;
use crate::trail::{Event, Trail};

/// A passkey of the list.
#[derive(Serialize)]
struct Shown<'a> {
    id: &'a str,
    name: &'a str,
    backup: Backup,
    transports: String,
    created_at: Option<String>,
    last_used_at: Option<String>,
}

impl<'a> Shown<'a> {
    fn of(passkey: &'a StoredPasskey) -> Self {
        Self {
            id: &passkey.id,
            name: &passkey.name,
            backup: passkey.backup,
            transports: passkey.transports.join(" "),
            created_at: time(passkey.created_at),
            last_used_at: passkey.last_used_at.and_then(time),
        }
    }
}

/// Lists the passkeys of an account, in the order in which they were created.
pub(super) async fn list(target: &Target, who: &str) -> Result<Done, Failure> {
    let deployment = Deployment::of(target).await?;
    let partition = partition(&deployment, who).await?;
    let passkeys = deployment.operator.passkeys(partition.account()).await?;
    output::rows(target.json, &passkeys.iter().map(Shown::of).collect::<Vec<_>>())?;
    Ok(Done::All)
}

/// Removes a passkey of an account. The sessions stay.
pub(super) async fn remove(target: &Target, discarding: &Discarding) -> Result<Done, Failure> {
    let deployment = Deployment::of(target).await?;
    let partition = partition(&deployment, &discarding.who).await?;
    let (account, wanted) = (partition.account(), &discarding.passkey);
    if !account.passkeys.contains(wanted) {
        return Err(Failure::NotFound(format!("the account has no passkey {wanted}")));
    }
    let order = &discarding.confirmed.order;
    let question = format!("This removes a passkey of the account {}. Type its address: ", account.id);
    discarding.confirmed.ask(&question, account.email.as_str())?;
    if let Some(trail) = Trail::unless_dry(&deployment, order).await? {
        let removal = Box::pin(deployment.operator.remove_passkey(account, wanted));
        if !trail.record(Event::PasskeyRemoved, account.id, removal).await? {
            return Err(Failure::NotFound(
                "the account or its passkey was deleted, or the account's sessions were ended, in the meantime: nothing was \
                 changed; run the command again"
                    .to_owned(),
            ));
        }
    }
    output::fields(target.json, &Summary::of(&partition, Event::PasskeyRemoved, order.dry_run, 0))?;
    Ok(Done::All)
}
