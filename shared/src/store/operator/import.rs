//! Accounts of another system: inserting and replacing them, undoing an import, and the counter of ids.

use super::Operator;
use crate::Fault;
use crate::store::addresses;
use crate::store::ids::LEASE_SECONDS;
use crate::store::items::counter::{self, COUNTER_MAX, Counter, TOTAL};
use crate::store::items::profile::{self, CHANGE, LOCK_LINKS, PASSWORD_FORMAT, Profile, RESET_TOKEN, VERIFY_TOKEN};
use crate::store::items::{address, erasure, identity};
use crate::store::table::{self, Guard, Update, Write, n, s};
use crate::system::clock::Timestamp;

/// How long new accounts may still get an id that was leased before the counter was raised, in seconds: the duration of a
/// lease, 10 for the timeout of a function, and 10 because clocks differ.
const CLOSING_SECONDS: u64 = LEASE_SECONDS + 10 + 10;

/// The attributes of a profile that an import writes, and that an endpoint or an operator may change.
const CHANGEABLE: [&str; 12] = [
    "email",
    "name",
    "url_image",
    "accept_news",
    "terms_accepted_at",
    "terms_version",
    "news_changed_at",
    "email_verified",
    "generation",
    "password",
    "google_sub",
    "disabled_at",
];

/// The attributes of a profile that an import writes, and that nothing else changes.
const IMPORTED: [&str; 6] = ["id", "created_at", "profile_id", "import_run", "import_digest", "import_generation"];

/// The attributes of a profile that show that somebody has signed in or reset the password.
const TRACES: [&str; 10] = [
    "change_hash",
    "former_emails",
    "browsers",
    "browsers_since",
    "passkeys",
    "passkey_user",
    "credentials_changed_by",
    "verify_hash",
    "exported_at",
    "locked_at",
];

/// The result of inserting an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inserted {
    /// The account was inserted.
    Yes,
    /// The address has an account now.
    AddressTaken,
    /// The identity is linked to another account.
    IdentityTaken,
}

impl Profile {
    /// Whether the account is as the last import left it, and has no passkey.
    pub fn is_untouched(&self) -> Result<bool, Fault> {
        let Some(imported) = &self.imported else { return Ok(false) };
        let is_same = imported.generation == self.account.generation && self.account.passkeys.is_empty();
        Ok(is_same && imported.digest == Some(self.account.digest(self.created_at)?))
    }

    /// The id and the [`CHANGEABLE`] attributes have not changed since the profile was read.
    fn is_unchanged(&self) -> Result<Guard, Fault> {
        let mut row = self.item()?;
        let same = CHANGEABLE.map(|name| Guard::still(name, row.remove(name)));
        Ok(same.into_iter().fold(profile::is_of(&self.account), Guard::and))
    }

    /// The update that makes `self` into `new`. It leaves a reset token as it is.
    fn update_to(&self, new: &Self) -> Result<Update, Fault> {
        let (old, mut row) = (self.item()?, new.item()?);
        let mut update = Update::new();
        if self.account.password != new.account.password {
            // The other system does not say when its users set theirs. An older row may not have the format.
            update = update.remove(&["password_set_at"]).set(PASSWORD_FORMAT, s(new.account.password.format_name()));
        }
        for name in IMPORTED.into_iter().chain(CHANGEABLE) {
            update = match row.remove(name) {
                same if old.get(name) == same.as_ref() => update,
                Some(value) => update.set(name, value),
                None => update.remove(&[name]),
            };
        }
        Ok(update)
    }
}

impl Operator {
    async fn counter(&self) -> Result<Option<Counter>, Fault> {
        self.table.item(counter::key_of()).await?.map(table::read).transpose()
    }

    /// Ensures that no function assigns an id up to `last` to a new account. It raises the counter of ids and stores
    /// the time, because a function may still assign ids that it leased before. Returns the time from which no function
    /// does.
    pub async fn close_ids(&self, last: u64, now: Timestamp) -> Result<Timestamp, Fault> {
        let end = |closed_at: u64| Timestamp::from_seconds(closed_at.saturating_add(CLOSING_SECONDS));
        loop {
            let counter = self.counter().await?;
            let stored = counter.as_ref().map(|counter| counter.total);
            let Counter { total, closed, closed_at, .. } = counter.unwrap_or_default();
            // A damaged counter may be lower than the closed ids.
            if closed >= last && total >= closed {
                return Ok(end(closed_at));
            }
            // If no function has leased ids since the last closing, the wait that began then is enough.
            let since = if total == closed { closed_at } else { now.seconds() };
            let raised = n(total.max(last).max(closed));
            let update = Update::new().set(TOTAL, raised.clone()).set("closed", raised).set("closed_at", n(since));
            let close = Write::update(counter::key_of(), update).when(Guard::still(TOTAL, stored.map(n)));
            // If the guard fails, the counter has changed since it was read. Somebody else's lease is progress too.
            if self.table.write(close).await?.is_ok() {
                return Ok(end(since));
            }
        }
    }

    /// Lowers the counter of ids to `last`, if it is at its end. Calls that fail there raise it further.
    pub async fn lower_ids(&self, last: u64, now: Timestamp) -> Result<bool, Fault> {
        let imported = self.imported_ids().await?;
        let update = Update::new().set(TOTAL, n(last)).set("closed", n(last)).set("closed_at", n(now.seconds()));
        let update = if imported > last { update.set("imported", n(last)) } else { update };
        let lower = Write::update(counter::key_of(), update).when(Guard::Above(TOTAL, n(COUNTER_MAX)));
        Ok(self.table.write(lower).await?.is_ok())
    }

    /// The largest id of all completed imports; 0 if there is none, or if an import was undone since.
    pub async fn imported_ids(&self) -> Result<u64, Fault> {
        Ok(self.counter().await?.map_or(0, |counter| counter.imported))
    }

    /// Notes that an import with ids up to `last` is complete. The ids must be closed.
    pub async fn note_imported_ids(&self, last: u64) -> Result<(), Fault> {
        let is_larger = Guard::Any(vec![Guard::Without("imported"), Guard::Below("imported", n(last))]);
        let note = Write::update(counter::key_of(), Update::new().set("imported", n(last)));
        // If the guard fails, this id or a larger one was noted before.
        self.table.write(note.when(Guard::exists().and(is_larger))).await.map(|_| ())
    }

    /// Forgets what [`Operator::note_imported_ids`] noted, because the accounts of an import are deleted.
    pub async fn forget_imported_ids(&self) -> Result<(), Fault> {
        let forget = Write::update(counter::key_of(), Update::new().remove(&["imported"]));
        self.table.write(forget.when(Guard::Has("imported"))).await.map(|_| ())
    }

    /// Inserts an account, and the link of its identity.
    pub async fn insert(&self, profile: &Profile) -> Result<Inserted, Fault> {
        let mut profile = profile.clone();
        let send = |_, writes| self.table.transact(writes);
        Ok(match addresses::create(&self.table, &mut profile, send).await? {
            Ok(()) => Inserted::Yes,
            Err(refused) if refused.index == 0 && profile.account.google_sub.is_some() => Inserted::IdentityTaken,
            Err(_) => Inserted::AddressTaken,
        })
    }

    /// Replaces an account by another with the same key, and moves its address and the link of its identity. Returns false
    /// if the account has changed since it was read, or the address or the identity is another account's.
    pub async fn replace(&self, read: &Profile, new: &Profile) -> Result<bool, Fault> {
        let (old, account) = (&read.account, &new.account);
        let guard = read.is_unchanged()?.and(profile::has_same_passkeys(old));
        let mut update = read.update_to(new)?;
        let mut writes = Vec::new();
        if old.email != account.email {
            // The links that were mailed to the old address end.
            update = update.remove(RESET_TOKEN).remove(VERIFY_TOKEN).remove(CHANGE).remove(&[LOCK_LINKS]);
            writes.extend(address::move_to(&account.email, old)?);
        }
        let update = Write::update(profile::key_of(&account.key), update).when(guard);
        if old.google_sub != account.google_sub {
            if let Some(sub) = &account.google_sub {
                writes.push(identity::insert(sub, &account.key)?);
            }
            writes.extend(old.google_sub.as_ref().map(|sub| identity::delete(sub, &account.key)));
        }
        if writes.is_empty() {
            return Ok(self.table.write(update).await?.is_ok());
        }
        writes.push(update);
        Ok(self.table.transact(writes).await?.is_ok())
    }

    /// Undoes the import of an account: deletes the account and the link of its identity. The same transaction notes
    /// the run, so that the owner gets no notice. Returns false if the account has changed since it was read, if a login
    /// or a password reset has left a trace in its profile, or if no import created it.
    pub async fn undo(&self, read: &Profile, now: Timestamp) -> Result<bool, Fault> {
        let account = &read.account;
        let Some(imported) = &read.imported else { return Ok(false) };
        let guard = TRACES.into_iter().map(Guard::Without).fold(read.is_unchanged()?, Guard::and);
        let delete = Write::delete(profile::key_of(&account.key)).when(guard);
        let mut writes = vec![delete, erasure::undo(account.id, &imported.run, now)];
        writes.extend(account.google_sub.as_ref().map(|sub| identity::delete(sub, &account.key)));
        writes.extend(address::release(&account.email, &account.key));
        Ok(self.table.transact(writes).await?.is_ok())
    }
}
