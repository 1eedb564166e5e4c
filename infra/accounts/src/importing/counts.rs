//! What became of the rows of a run, counted.

use std::fmt;

use serde::Serialize;

use super::report::{Outcome, Remark};
use super::row::{Candidate, Secret};
use super::run::CHANGED_HERE;

/// What became of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Created,
    Updated,
    Unchanged,
    NotWritten(Outcome, Remark),
}

/// The counts of a run.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Counts {
    pub(crate) rows: u64,
    pub(crate) created: u64,
    pub(crate) updated: u64,
    pub(crate) unchanged: u64,
    /// Rows that were created or updated with a change or a warning (`maybe-deleted`).
    pub(crate) with_changes: u64,
    /// Accounts that have changed here, and were left as they are; and users that were left out as maybe deleted.
    pub(crate) left: u64,
    pub(crate) refused: u64,
    /// Accounts of the rows without a password.
    pub(crate) without_password: u64,
    /// Accounts of the rows whose address is not verified. A Google login removes their password.
    pub(crate) unproved: u64,
}

/// A row and its fate.
pub(crate) struct Settled {
    pub(crate) line: u64,
    pub(crate) candidate: Candidate,
    pub(crate) fate: Fate,
}

impl Counts {
    pub(crate) fn add(&mut self, settled: &Settled) {
        let account = &settled.candidate.profile.account;
        self.rows += 1;
        let is_written = matches!(settled.fate, Fate::Created | Fate::Updated);
        match settled.fate {
            Fate::Created => self.created += 1,
            Fate::Updated => self.updated += 1,
            Fate::Unchanged => self.unchanged += 1,
            Fate::NotWritten(Outcome::Left, _) => self.left += 1,
            Fate::NotWritten(..) => self.refused += 1,
        }
        let has_account = is_written || matches!(settled.fate, Fate::Unchanged | Fate::NotWritten(_, CHANGED_HERE));
        if has_account {
            let has_password = account.password.hash().is_some() || !matches!(settled.candidate.secret, Secret::None);
            self.without_password += u64::from(!has_password);
            self.unproved += u64::from(!account.email_verified);
        }
        self.with_changes += u64::from(is_written && !settled.candidate.changes.is_empty());
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, created, updated, unchanged, left, refused, .. } = self;
        write!(
            f,
            "{rows} rows, {created} created, {updated} updated, {unchanged} unchanged, {left} left, {refused} refused"
        )
    }
}
