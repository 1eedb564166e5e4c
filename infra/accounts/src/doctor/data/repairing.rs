//! How a damaged row is repaired.

use shared::Fault;
use shared::store::operator::Operator;
use shared::system::clock::{Clock, SystemClock};
use table_checks::{Damage, Repair};

use crate::lookup;
use crate::trail::{Event, Subject};

/// The write units that it takes. A transaction takes two for each row. A changed `profile_id` also takes one for each
/// write to the index.
pub(super) fn units(repair: &Repair) -> f64 {
    match repair {
        Repair::DeleteSession { .. }
        | Repair::DeleteIdentity { .. }
        | Repair::RestoreIdentity { .. }
        | Repair::DeleteAddress { .. }
        | Repair::RestoreAddress { .. }
        | Repair::DeletePasskey { .. } => 4.0,
        Repair::RaiseCounter(_) | Repair::LowerCounter(_) => 1.0,
        Repair::SetProfileId { found: None, .. } => 2.0,
        Repair::SetProfileId { found: Some(_), .. } => 3.0,
    }
}

/// The event of its audit lines.
pub(super) fn event(repair: &Repair) -> Event {
    match repair {
        Repair::DeleteSession { .. } => Event::SessionDeleted,
        Repair::DeleteIdentity { .. } => Event::IdentityDeleted,
        Repair::RestoreIdentity { .. } => Event::IdentityRestored,
        Repair::DeletePasskey { .. } => Event::PasskeyDeleted,
        Repair::DeleteAddress { .. } => Event::AddressDeleted,
        Repair::RestoreAddress { .. } => Event::AddressRestored,
        Repair::RaiseCounter(_) => Event::CounterRaised,
        Repair::LowerCounter(_) => Event::CounterLowered,
        Repair::SetProfileId { .. } => Event::ProfileIdCorrected,
    }
}

/// What its audit lines are about.
pub(super) fn subject(repair: &Repair, damage: &Damage) -> Subject {
    match repair {
        Repair::RestoreIdentity { id, .. } | Repair::RestoreAddress { id, .. } | Repair::SetProfileId { id, .. } => {
            Subject::Account(*id)
        }
        _ => Subject::Row(damage.shown.clone()),
    }
}

/// Repairs the row. Returns false if it has changed since it was found.
pub(super) async fn run(repair: &Repair, operator: &Operator) -> Result<bool, Fault> {
    match repair {
        Repair::DeleteSession { pk, sk } => operator.delete_session_without_account(pk, sk).await,
        Repair::DeleteIdentity { sub, account } => operator.delete_identity_without_account(sub, account).await,
        Repair::RestoreIdentity { sub, key, id } => operator.restore_identity(sub, key, *id).await,
        Repair::DeletePasskey { key, id, row } => operator.delete_unnamed_passkey(key, id, row).await,
        Repair::DeleteAddress { address, account } => operator.delete_stale_address(address, account).await,
        Repair::RestoreAddress { key, email, .. } => operator.restore_address(key, email).await,
        Repair::SetProfileId { key, id, found } => operator.set_profile_id(key, *id, *found).await,
        Repair::LowerCounter(last) => operator.lower_ids(*last, SystemClock.now()).await,
        Repair::RaiseCounter(id) => {
            operator.close_ids(*id, SystemClock.now()).await?;
            Ok(lookup::last_id(operator).await? >= *id)
        }
    }
}
