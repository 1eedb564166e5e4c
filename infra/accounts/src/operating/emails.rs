//! `accounts set-email`: another address for an account.

use shared::Email;
use shared::store::operator::Moved;

use super::changing::{Summary, gone, live_sessions};
use super::partition;
use crate::cli::{SettingEmail, Target};
use crate::connection::Deployment;
use crate::failure::{Done, Failure};
use crate::output;
use crate::trail::{Event, Trail};

/// Gives an account another address.
pub(super) async fn set(target: &Target, setting: &SettingEmail) -> Result<Done, Failure> {
    let SettingEmail { who, email, confirmed } = setting;
    let email = Email::parse(email).map_err(|_| Failure::Usage(format!("{email} is not an address")))?;
    let order = &confirmed.order;
    let deployment = Deployment::of(target).await?;
    let partition = partition(&deployment, who).await?;
    let account = partition.account();
    let taken = || Failure::Failed(format!("{} has an account already: nothing was changed", email.as_str()));
    if deployment.operator.has_account(&email).await? {
        return Err(taken());
    }
    let ended = live_sessions(&deployment, &partition).await?;
    let summary = Summary::of(&partition, Event::EmailSet, order.dry_run, ended);
    let question = format!("This gives the account {} another address. Type its present one: ", account.id);
    confirmed.ask(&question, account.email.as_str())?;
    if let Some(trail) = Trail::unless_dry(&deployment, order).await? {
        let mut is_taken = false;
        let setting = Box::pin(async {
            let moved = deployment.operator.set_email(&partition.profile, &email).await?;
            is_taken = moved == Moved::Taken;
            Ok(moved == Moved::Done)
        });
        if !trail.record(Event::EmailSet, account.id, setting).await? {
            return Err(if is_taken { taken() } else { gone("the account") });
        }
        output::note(
            "its owner sets a new password by mail, or asks for a verification link; the old address was told",
        );
    }
    output::fields(target.json, &summary)?;
    Ok(Done::All)
}
