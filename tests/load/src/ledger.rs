//! What the service has acknowledged, and must therefore still know at the end.
//!
//! A write is noted as open before it is sent and as acknowledged when its answer says so. What stays open was
//! answered by a failure, or not at all: whether it happened is nobody's claim.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::account::Account;

/// Failures that are shown; all are counted.
const SHOWN_MAX: usize = 20;

/// The ledger of this run.
pub(crate) static LEDGER: Ledger = Ledger::new();

/// How an account stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Standing {
    /// A write is under way, or has failed.
    Open,
    /// The service said that it is so.
    Acknowledged(Account),
    /// The service said that it is gone; this is what it was.
    Deleted(Account),
}

/// Everything that was acknowledged.
#[derive(Default)]
pub(crate) struct Books {
    /// By email.
    pub(crate) accounts: BTreeMap<String, Standing>,
    /// Texts of entries that are stored.
    pub(crate) entries: BTreeSet<String>,
    /// Texts of entries whose answer never came.
    pub(crate) open_entries: BTreeSet<String>,
    /// What went wrong, up to [`SHOWN_MAX`].
    pub(crate) failures: Vec<String>,
}

/// The books, and counters that need no lock.
pub(crate) struct Ledger {
    books: Mutex<Books>,
    people: AtomicU64,
    answers: AtomicU64,
    failed: AtomicU64,
    writes: AtomicU64,
}

impl Ledger {
    const fn new() -> Self {
        let books = Books {
            accounts: BTreeMap::new(),
            entries: BTreeSet::new(),
            open_entries: BTreeSet::new(),
            failures: Vec::new(),
        };
        Self {
            books: Mutex::new(books),
            people: AtomicU64::new(0),
            answers: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            writes: AtomicU64::new(0),
        }
    }

    /// A number that nobody else in this run has.
    pub(crate) fn number(&self) -> u64 {
        self.people.fetch_add(1, Ordering::Relaxed)
    }

    /// A write to this account is about to be sent.
    pub(crate) fn open(&self, email: &str) {
        self.books().accounts.insert(email.to_owned(), Standing::Open);
    }

    /// The last write was acknowledged: so the account stands.
    pub(crate) fn acknowledge(&self, account: &Account) {
        self.writes.fetch_add(1, Ordering::Relaxed);
        self.books().accounts.insert(account.email.clone(), Standing::Acknowledged(account.clone()));
    }

    /// The deletion was acknowledged.
    pub(crate) fn delete(&self, account: &Account) {
        self.writes.fetch_add(1, Ordering::Relaxed);
        self.books().accounts.insert(account.email.clone(), Standing::Deleted(account.clone()));
    }

    /// These entries are about to be sent.
    pub(crate) fn open_entries(&self, entries: &[String]) {
        self.books().open_entries.extend(entries.iter().cloned());
    }

    /// These entries were acknowledged.
    pub(crate) fn acknowledge_entries(&self, entries: &[String]) {
        self.writes.fetch_add(1, Ordering::Relaxed);
        let mut books = self.books();
        for entry in entries {
            books.open_entries.remove(entry);
            books.entries.insert(entry.clone());
        }
    }

    /// An answer came.
    pub(crate) fn answered(&self) {
        self.answers.fetch_add(1, Ordering::Relaxed);
    }

    /// Something went otherwise than it must.
    pub(crate) fn fail(&self, failure: String) {
        self.failed.fetch_add(1, Ordering::Relaxed);
        let mut books = self.books();
        if books.failures.len() < SHOWN_MAX {
            books.failures.push(failure);
        }
    }

    /// Answers so far.
    pub(crate) fn answers(&self) -> u64 {
        self.answers.load(Ordering::Relaxed)
    }

    /// Failures so far.
    pub(crate) fn failed(&self) -> u64 {
        self.failed.load(Ordering::Relaxed)
    }

    /// Acknowledged writes so far.
    pub(crate) fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }

    /// The books, locked.
    pub(crate) fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
