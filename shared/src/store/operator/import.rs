//! Accounts of another system: reading many, inserting and replacing them.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Operator;
use crate::Fault;
use crate::account::{Account, AccountKey};
use crate::password::StoredHash;
use crate::store::account::identities;
use crate::store::account::ids::{COUNTER, LEASE_SECONDS};
use crate::store::account::profile::{PROFILE, Row};
use crate::store::notices::erasures;
use crate::store::passkeys;
use crate::store::table::{self, Item, Write, n};
use crate::system::clock::Timestamp;

/// An account, with the time when it was created and what its imports stored.
#[derive(Clone)]
pub struct Profile {
    /// The account.
    pub account: Account,
    /// The time when it was created, in seconds since 1970; 0 if unknown.
    pub created_at: u64,
    /// What its imports stored about themselves; `None` if no import created it.
    pub imported: Option<Imported>,
}

/// What an import stores in a profile about itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Imported {
    /// The run that created the account. An update keeps it.
    pub run: String,
    /// The digest of what was imported last ([`Profile::digest`]).
    pub digest: String,
    /// The account's generation after the last import.
    pub generation: u64,
}

/// How long new accounts may still get an id that was leased before the counter was raised, in seconds: the duration of a
/// lease, 10 for the timeout of a function, and 10 because clocks differ.
const CLOSING_SECONDS: u64 = LEASE_SECONDS + 10 + 10;

/// The counter of ids.
#[derive(Default, Deserialize)]
struct Counter {
    /// The last leased id.
    total: u64,
    /// No new lease has an id up to this one.
    #[serde(default)]
    closed: u64,
    /// No function has leased an id up to `closed` since this time, in seconds since 1970. It is 0 if no function had
    /// leased any id before.
    #[serde(default)]
    closed_at: u64,
    /// The largest id of all completed imports.
    #[serde(default)]
    imported: u64,
}

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

/// The attributes of an account that its digest covers: all that an import may write, except the generation.
#[derive(Serialize)]
struct Content<'a> {
    id: u64,
    email: &'a str,
    name: &'a str,
    url_image: &'a str,
    accept_news: bool,
    password: Option<&'a str>,
    google_sub: Option<&'a str>,
    email_verified: bool,
    created_at: u64,
    disabled_at: Option<u64>,
}

impl Profile {
    /// The profile in an item.
    ///
    /// # Errors
    /// The item is not a profile, or it is broken.
    pub fn read(item: Item) -> Result<Self, Fault> {
        let mut row: Row = table::read(item)?;
        let imported = row.import_run.take().zip(row.import_digest.take()).zip(row.import_generation.take());
        let imported = imported.map(|((run, digest), generation)| Imported { run, digest, generation });
        Ok(Self { created_at: row.created_at, imported, account: row.into_account()? })
    }

    fn item(&self) -> Result<Item, Fault> {
        let mut row = Row::of(&self.account, self.created_at);
        if let Some(imported) = &self.imported {
            row.import_run = Some(imported.run.clone());
            row.import_digest = Some(imported.digest.clone());
            row.import_generation = Some(imported.generation);
        }
        table::item(&row)
    }

    /// The digest of the account as an import writes it. Two imports of one row have the same digest.
    ///
    /// # Errors
    /// The account cannot be written as JSON.
    pub fn digest(&self) -> Result<String, Fault> {
        let account = &self.account;
        let content = serde_json::to_vec(&Content {
            id: account.id,
            email: account.email.as_str(),
            name: &account.name,
            url_image: &account.url_image,
            accept_news: account.accept_news,
            password: account.password.as_ref().map(StoredHash::as_str),
            google_sub: account.google_sub.as_deref(),
            email_verified: account.email_verified,
            created_at: self.created_at,
            disabled_at: account.disabled_at,
        });
        let content = content.map_err(|_| Fault::new("import.digest", "unwritable"))?;
        Ok(URL_SAFE_NO_PAD.encode(Sha256::digest(content)))
    }

    /// Whether the account is as the last import left it, and has no passkey.
    ///
    /// # Errors
    /// The account cannot be written as JSON.
    pub fn is_untouched(&self) -> Result<bool, Fault> {
        let Some(imported) = &self.imported else { return Ok(false) };
        let is_same = imported.generation == self.account.generation && self.account.passkeys.is_empty();
        Ok(is_same && imported.digest == self.digest()?)
    }
}

impl Operator {
    /// Ensures that no function assigns an id up to `last` to a new account. It raises the counter of ids and stores
    /// the time, because a function may still assign ids that it leased before. Returns the time from which no function
    /// does.
    ///
    /// # Errors
    /// The table failed.
    pub async fn close_ids(&self, last: u64, now: Timestamp) -> Result<Timestamp, Fault> {
        loop {
            let counter: Option<Counter> = self.table.item(COUNTER.0, COUNTER.1).await?.map(table::read).transpose()?;
            let stored = counter.as_ref().map(|counter| counter.total);
            let total = stored.unwrap_or_default();
            let Counter { closed, closed_at, .. } = counter.unwrap_or_default();
            // A damaged counter may be lower than the closed ids.
            if closed >= last && total >= closed {
                return Ok(Timestamp::from_seconds(closed_at.saturating_add(CLOSING_SECONDS)));
            }
            let raised = total.max(last).max(closed);
            // If no function has leased ids since the last closing, the wait that began then is enough.
            let since = if total == closed { closed_at } else { now.seconds() };
            let changes = "SET #total = :raised, #closed = :raised, #closed_at = :since";
            let write =
                Write::update(COUNTER.0, COUNTER.1, changes).value(":raised", n(raised)).value(":since", n(since));
            let write = match stored {
                Some(total) => write.when("#total = :total").value(":total", n(total)),
                None => write.when("attribute_not_exists(#total)"),
            };
            // If the condition fails, the counter has changed since it was read.
            if self.table.write(write).await?.is_ok() {
                return Ok(Timestamp::from_seconds(since.saturating_add(CLOSING_SECONDS)));
            }
        }
    }

    /// The largest id of all completed imports; 0 if there is none, or if an import was undone since.
    ///
    /// # Errors
    /// The table failed.
    pub async fn imported_ids(&self) -> Result<u64, Fault> {
        let counter: Option<Counter> = self.table.item(COUNTER.0, COUNTER.1).await?.map(table::read).transpose()?;
        Ok(counter.map_or(0, |counter| counter.imported))
    }

    /// Notes that an import with ids up to `last` is complete. The ids must be closed.
    ///
    /// # Errors
    /// The table failed.
    pub async fn note_imported_ids(&self, last: u64) -> Result<(), Fault> {
        let write = Write::update(COUNTER.0, COUNTER.1, "SET #imported = :last")
            .when("attribute_exists(#pk) AND (attribute_not_exists(#imported) OR #imported < :last)")
            .value(":last", n(last));
        // If the condition fails, this id or a larger one was noted before.
        self.table.write(write).await?.ok();
        Ok(())
    }

    /// Forgets what [`Operator::note_imported_ids`] noted, because the accounts of an import are deleted.
    ///
    /// # Errors
    /// The table failed.
    pub async fn forget_imported_ids(&self) -> Result<(), Fault> {
        let write = Write::update(COUNTER.0, COUNTER.1, "REMOVE #imported").when("attribute_exists(#imported)");
        self.table.write(write).await?.ok();
        Ok(())
    }

    /// Inserts an account, and the link of its identity.
    ///
    /// # Errors
    /// The table failed.
    pub async fn insert(&self, profile: &Profile) -> Result<Inserted, Fault> {
        let account = &profile.account;
        let put = Write::put(profile.item()?).when("attribute_not_exists(#pk)");
        let Some(sub) = &account.google_sub else {
            let written = self.table.write(put).await?;
            return Ok(written.map_or(Inserted::AddressTaken, |()| Inserted::Yes));
        };
        let writes = vec![identities::linking(sub, &account.key)?, put];
        Ok(match self.table.transact(writes).await? {
            Ok(()) => Inserted::Yes,
            Err(refused) if refused.index == 0 => Inserted::IdentityTaken,
            Err(_) => Inserted::AddressTaken,
        })
    }

    /// Replaces an account by another with the same key, and moves the link of its identity. Returns false if the account
    /// has changed since it was read, or the identity is linked to another account.
    ///
    /// # Errors
    /// The table failed.
    pub async fn replace(&self, read: &Profile, new: &Profile) -> Result<bool, Fault> {
        let (old, account) = (&read.account, &new.account);
        let update = passkeys::unchanged(unchanged(changing(read, new)?, read)?, old);
        let mut writes = Vec::new();
        if old.google_sub != account.google_sub {
            if let Some(sub) = &account.google_sub {
                writes.push(identities::linking(sub, &account.key)?);
            }
            if let Some(sub) = &old.google_sub {
                writes.push(identities::unlinking(sub, &account.key));
            }
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
    ///
    /// # Errors
    /// The table failed.
    pub async fn undo(&self, read: &Profile, now: Timestamp) -> Result<bool, Fault> {
        let (key, id) = (&read.account.key, read.account.id);
        let Some(imported) = &read.imported else { return Ok(false) };
        let deletion = unchanged(Write::delete(key.as_str(), PROFILE), read)?;
        let unused = TRACES.map(|name| format!(" AND attribute_not_exists(#{name})")).concat();
        let condition = format!("{}{unused}", deletion.condition.as_deref().unwrap_or_default());
        let mut writes = vec![deletion.when(condition), erasures::undoing(id, &imported.run, now)];
        writes.extend(read.account.google_sub.as_ref().map(|sub| identities::unlinking(sub, key)));
        Ok(self.table.transact(writes).await?.is_ok())
    }
}

/// The attributes of a profile that an import writes, and that an endpoint or an operator may change.
const CHANGEABLE: [&str; 8] =
    ["name", "url_image", "accept_news", "email_verified", "generation", "password", "google_sub", "disabled_at"];

/// The attributes of a profile that show that somebody has signed in or reset the password.
const TRACES: [&str; 6] =
    ["browsers", "browsers_since", "passkeys", "passkey_user", "credentials_changed_by", "verify_hash"];

/// Adds the condition that the id and the [`CHANGEABLE`] attributes of a profile have not changed since it was read.
fn unchanged(write: Write, read: &Profile) -> Result<Write, Fault> {
    let mut row = read.item()?;
    let mut conditions = vec!["#id = :id".to_owned()];
    let mut write = write.value(":id", n(read.account.id));
    for name in CHANGEABLE {
        conditions.push(match row.remove(name) {
            Some(value) => {
                write = write.value(&format!(":{name}"), value);
                format!("#{name} = :{name}")
            }
            None => format!("attribute_not_exists(#{name})"),
        });
    }
    Ok(write.when(conditions.join(" AND ")))
}

/// The update that makes `read` into `new`. It leaves a reset token as it is.
fn changing(read: &Profile, new: &Profile) -> Result<Write, Fault> {
    let (old, mut row) = (read.item()?, new.item()?);
    let (mut set, mut removed, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let imported = ["id", "created_at", "profile_id", "import_run", "import_digest", "import_generation"];
    for name in imported.into_iter().chain(CHANGEABLE) {
        match row.remove(name) {
            Some(value) if old.get(name) == Some(&value) => {}
            Some(value) => {
                set.push(format!("#{name} = :new_{name}"));
                values.push((format!(":new_{name}"), value));
            }
            None if old.contains_key(name) => removed.push(format!("#{name}")),
            None => {}
        }
    }
    let remove = if removed.is_empty() { String::new() } else { format!(" REMOVE {}", removed.join(", ")) };
    let write = Write::update(new.account.key.as_str(), PROFILE, format!("SET {}{remove}", set.join(", ")));
    Ok(values.into_iter().fold(write, |write, (name, value)| write.value(&name, value)))
}

impl Operator {
    /// The accounts with these keys, and the keys of the accounts that these identities are linked to, in the same
    /// order. At most 100 together.
    ///
    /// # Errors
    /// The table failed, or a row is broken.
    pub async fn accounts(
        &self,
        keys: &[AccountKey],
        subs: &[&str],
    ) -> Result<(Vec<Option<Profile>>, Vec<Option<AccountKey>>), Fault> {
        let links: Vec<String> = subs.iter().map(|sub| identities::partition_key(sub)).collect();
        let wanted = keys.iter().map(|key| (key.as_str(), PROFILE));
        let wanted: Vec<_> = wanted.chain(links.iter().map(|link| (link.as_str(), identities::IDENTITY))).collect();
        let mut found = self.table.items(&wanted).await?;
        let linked = found.split_off(keys.len());
        let profiles = found.into_iter().map(|item| item.map(Profile::read).transpose());
        let linked = linked.into_iter().map(|item| item.map(identities::account_of).transpose());
        Ok((profiles.collect::<Result<_, _>>()?, linked.collect::<Result<_, _>>()?))
    }
}
