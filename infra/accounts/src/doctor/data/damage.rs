//! A damaged row, and how it is repaired.

use shared::store::operator::{Operator, Row, RowKey, number};
use shared::system::clock::{Clock, SystemClock};
use shared::{AccountKey, Fault};

use super::kind::Kind;
use crate::trail::{Event, Subject};

/// A damaged row.
#[derive(Debug)]
pub(super) struct Damage {
    pub(super) kind: Kind,
    /// The text that names the row, such as an account's id or a key. Never the hash of a secret.
    pub(super) shown: String,
    /// How to repair it, if that is safe.
    pub(super) repair: Option<Repair>,
}

/// A change that repairs a row, if the row is still as it was found. The counter is raised even if it has changed.
#[derive(Debug)]
pub(super) enum Repair {
    DeleteSession {
        pk: String,
        sk: String,
    },
    DeleteIdentity {
        sub: String,
        account: String,
    },
    RestoreIdentity {
        sub: String,
        key: AccountKey,
        id: u64,
    },
    /// Deletes the passkey, or the pointer to its account, with the key `row`.
    DeletePasskey {
        key: String,
        id: String,
        row: RowKey,
    },
    RaiseCounter(u64),
    SetProfileId {
        key: AccountKey,
        id: u64,
        found: Option<u64>,
    },
}

impl Damage {
    pub(super) fn new(kind: Kind, shown: impl Into<String>) -> Self {
        Self { kind, shown: shown.into(), repair: None }
    }

    pub(super) fn with(self, repair: Repair) -> Self {
        Self { repair: Some(repair), ..self }
    }
}

impl Repair {
    /// The write units that it takes. A transaction takes two for each row. A changed `profile_id` also takes one for each
    /// write to the index.
    pub(super) fn units(&self) -> f64 {
        match self {
            Self::DeleteSession { .. }
            | Self::DeleteIdentity { .. }
            | Self::RestoreIdentity { .. }
            | Self::DeletePasskey { .. } => 4.0,
            Self::RaiseCounter(_) => 1.0,
            Self::SetProfileId { found: None, .. } => 2.0,
            Self::SetProfileId { found: Some(_), .. } => 3.0,
        }
    }

    /// The event of its audit lines.
    pub(super) fn event(&self) -> Event {
        match self {
            Self::DeleteSession { .. } => Event::SessionDeleted,
            Self::DeleteIdentity { .. } => Event::IdentityDeleted,
            Self::RestoreIdentity { .. } => Event::IdentityRestored,
            Self::DeletePasskey { .. } => Event::PasskeyDeleted,
            Self::RaiseCounter(_) => Event::CounterRaised,
            Self::SetProfileId { .. } => Event::ProfileIdCorrected,
        }
    }

    /// What its audit lines are about.
    pub(super) fn subject(&self, damage: &Damage) -> Subject {
        match self {
            Self::RestoreIdentity { id, .. } | Self::SetProfileId { id, .. } => Subject::Account(*id),
            _ => Subject::Row(damage.shown.clone()),
        }
    }

    /// Repairs the row. Returns false if it has changed since it was found.
    pub(super) async fn run(&self, operator: &Operator) -> Result<bool, Fault> {
        match self {
            Self::DeleteSession { pk, sk } => operator.delete_session_without_account(pk, sk).await,
            Self::DeleteIdentity { sub, account } => operator.delete_identity_without_account(sub, account).await,
            Self::RestoreIdentity { sub, key, id } => operator.restore_identity(sub, key, *id).await,
            Self::DeletePasskey { key, id, row } => operator.delete_unnamed_passkey(key, id, row).await,
            Self::SetProfileId { key, id, found } => operator.set_profile_id(key, *id, *found).await,
            Self::RaiseCounter(id) => {
                operator.close_ids(*id, SystemClock.now()).await?;
                let rows = operator.rows(vec![Row::counter_key()]).await?;
                Ok(rows.values().next().and_then(|row| number(row, "total")).is_some_and(|total| total >= *id))
            }
        }
    }
}
