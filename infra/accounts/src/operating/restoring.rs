//! `accounts restore`: an account that was erased by mistake comes back from a restored copy of the table.

use serde::Serialize;
use shared::OperatorAccess;
use shared::store::operator::{Copied, PutBack};

use crate::cli::{Restoring, Target};
use crate::connection::{Deployment, Location};
use crate::failure::{Done, Failure};
use crate::lookup::{self, Named};
use crate::output;
use crate::trail::{Event, Trail};

/// What the command did, or would do.
#[derive(Serialize)]
struct Restored<'a> {
    id: u64,
    email: &'a str,
    from: &'a str,
    dry_run: bool,
    /// False in a dry run.
    changed: bool,
    has_password: bool,
    google_sub: Option<&'a str>,
    passkeys: usize,
}

/// Puts an account back as another table has it.
pub(super) async fn restore(target: &Target, options: &Restoring) -> Result<Done, Failure> {
    let Restoring { who, from, confirmed } = options;
    let order = &confirmed.order;
    let location = Location::of(target).await?;
    if location.accounts == *from {
        let text = format!("{from} is the table in use: name the table that was restored from its backup");
        return Err(Failure::Usage(text));
    }
    let deployment = Deployment::at(target, location.clone(), OperatorAccess::WithoutHashes).await?;
    let location = Location { accounts: from.clone(), ..location };
    // The hash comes back too.
    let backup = Deployment::at(target, location, OperatorAccess::WithHashes).await?;
    let named = Named::of(&backup, who).await?;
    // It says so if there is no such account, or what is wrong with its profile.
    let found = named.partition(&backup).await?;
    let copied = backup.operator.copy(&found.account().key).await?;
    let copied = copied.ok_or_else(|| Failure::NotFound(format!("there is no account {who} in {from}")))?;
    let account = &copied.profile.account;
    require_free(&deployment, &copied).await?;
    let mut restored = Restored {
        id: account.id,
        email: account.email.as_str(),
        from,
        dry_run: order.dry_run,
        changed: false,
        has_password: account.password.hash().is_some(),
        google_sub: account.google_sub.as_deref(),
        passkeys: copied.passkeys(),
    };
    let question = format!("This brings the account {} back as it is in {from}. Type its address: ", account.id);
    confirmed.ask(&question, account.email.as_str())?;
    if let Some(trail) = Trail::unless_dry(&deployment, order).await? {
        let mut outcome = PutBack::Done;
        let putting = Box::pin(async {
            outcome = deployment.operator.put_back(&copied).await?;
            Ok(outcome == PutBack::Done)
        });
        restored.changed = trail.record(Event::AccountRestored, account.id, putting).await?;
        refusal(outcome, &copied).map_or(Ok(()), Err)?;
        output::note("its sessions, the links that were mailed and its entries do not come back");
        if restored.has_password || restored.passkeys > 0 {
            output::note("its password and its passkeys open it again: if you doubt them, run `accounts lock` too");
        }
    }
    output::fields(target.json, &restored)?;
    Ok(Done::All)
}

/// Fails if the id or the address of an account is in use, or if the table in use has never given the id.
async fn require_free(deployment: &Deployment, copied: &Copied) -> Result<(), Failure> {
    let account = &copied.profile.account;
    let id = account.id;
    let owners = deployment.operator.owners(id).await?;
    if owners.contains(&account.key) {
        return Err(exists(id));
    }
    if !owners.is_empty() {
        let text = format!(
            "another account has the id {id}, for example because an import has created it again: nothing was changed. \
             `accounts show {id}` shows it"
        );
        return Err(Failure::Failed(text));
    }
    if deployment.operator.has_account(&account.email).await? {
        return Err(taken(copied));
    }
    let last = lookup::last_id(&deployment.operator).await?;
    if last < id {
        let text = format!(
            "the table in use has given ids up to {last}, so the id {id} could be given again: nothing was changed. Check \
             that --from is a copy of this table; after a restore of the whole table, run `accounts doctor --data --fix`"
        );
        return Err(Failure::Failed(text));
    }
    Ok(())
}

/// Why an account was not put back; `None` if it was.
fn refusal(outcome: PutBack, copied: &Copied) -> Option<Failure> {
    let account = &copied.profile.account;
    let failed = |text: String| Some(Failure::Failed(text));
    match outcome {
        PutBack::Done => None,
        PutBack::Exists => Some(exists(account.id)),
        PutBack::AddressTaken => Some(taken(copied)),
        PutBack::IdentityTaken => failed(format!(
            "google:{} belongs to another account now: nothing was changed. `accounts find google:{0}` shows it; erase it \
             first if it is not needed",
            account.google_sub.as_deref().unwrap_or_default()
        )),
        PutBack::PasskeyTaken => failed(
            "a passkey of the account has rows in the table already: nothing was changed. Run `accounts doctor --data --fix`, \
             and try again"
                .to_owned(),
        ),
    }
}

fn exists(id: u64) -> Failure {
    Failure::Failed(format!("the account {id} exists: nothing was changed. `accounts show {id}` shows it"))
}

fn taken(copied: &Copied) -> Failure {
    let email = copied.profile.account.email.as_str();
    Failure::Failed(format!(
        "{email} is registered again: nothing was changed. Ask its owner which account to keep. To keep the old one, erase \
         the new one, or give it another address with `accounts set-email`"
    ))
}
