//! A run: reads the accounts that exist, decides what each row needs, and writes it unless the run is dry.

use futures_util::StreamExt;
use futures_util::stream::iter;
use serde::Serialize;
use sha2::{Digest, Sha256};
use shared::store::operator::{Imported, Inserted, Profile};
use shared::system::clock::Timestamp;
use shared::{Account, AccountKey, Fault};

use super::report::{Outcome, Remark};
use super::row::{Candidate, Secret};
use crate::connection::Deployment;
use crate::interruption::Interruption;
use crate::rate::Rate;

/// The rows that are read together. With their identities they are one `BatchGetItem`, which has at most 100 keys.
pub(crate) const CHUNK: usize = 50;
/// The writes of a chunk that run in parallel.
const WRITES: usize = 16;

const ADDRESS_TAKEN: Remark =
    Remark::new("address-taken", "somebody has registered this address here: ask the user which account to keep");
const ID_TAKEN: Remark =
    Remark::new("id-taken", "another account here has this id: leave the user out, or delete that account");
const ADDRESS_CHANGED: Remark = Remark::new(
    "address-changed",
    "the account of this id has another address here, as an earlier import gave it: --move-addresses gives it the new one",
);
const ID_DIFFERS: Remark =
    Remark::new("id-differs", "the account of this address has another id here: correct the row");
const IDENTITY_TAKEN: Remark =
    Remark::new("identity-taken", "another account here has this google_sub: keep one of the two");
const MAYBE_DELETED: Remark = Remark::new(
    "maybe-deleted",
    "no account has this id, although an earlier import had this id or a higher one: if the owner has deleted the \
     account here, delete the user in the other system too, and the account that the import creates; \
     --without-deleted leaves such users out",
);
const CHANGED_HERE: Remark =
    Remark::new("changed-here", "the account has changed here since its import; it is left as it is");

/// A new id for a run: the time when it began in seconds since 1970, and a random number, both in hexadecimal.
pub(crate) fn run_id(now: Timestamp) -> Result<String, Fault> {
    let number = getrandom::u32().map_err(|_| Fault::new("random", "no random number"))?;
    Ok(format!("{:x}-{number:08x}", now.seconds()))
}

/// When a run began; `None` if its id does not say so, as those of earlier releases do not.
pub(crate) fn began(run: &str) -> Option<Timestamp> {
    let (seconds, _) = run.split_once('-')?;
    u64::from_str_radix(seconds, 16).ok().map(Timestamp::from_seconds)
}

/// A run of an import.
#[expect(clippy::struct_excessive_bools, reason = "three are options of the command")]
pub(crate) struct Run<'a> {
    pub(crate) deployment: &'a Deployment,
    pub(crate) id: String,
    pub(crate) dry: bool,
    pub(crate) rate: Rate,
    /// The largest id of earlier imports.
    pub(crate) imported_ids: u64,
    /// Whether to leave out users without an account whom an earlier import may have had.
    pub(crate) without_deleted: bool,
    /// Whether an account that has not changed here since its import gets the new address of its user.
    pub(crate) move_addresses: bool,
    /// Whether the table had no accounts when the run started, so that no id can be taken.
    pub(crate) was_empty: bool,
    /// When the run started: the time from which users are disabled whose row does not say since when.
    pub(crate) now: Timestamp,
    pub(crate) interruption: Interruption,
}

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
    /// Created accounts without a password.
    pub(crate) without_password: u64,
    /// Created accounts whose address is not verified. A Google login removes their password.
    pub(crate) unproved: u64,
}

/// A row and its fate.
pub(crate) struct Settled {
    pub(crate) line: u64,
    pub(crate) candidate: Candidate,
    pub(crate) fate: Fate,
}

/// What a row needs.
enum Need {
    Create,
    Update(Box<Profile>),
    Nothing(Fate),
}

impl Run<'_> {
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interruption.has_come()
    }

    /// Imports some rows, at most [`CHUNK`], and gives them back in the same order. A fault of a row stops no other.
    pub(crate) async fn chunk(&self, rows: Vec<(u64, Candidate)>) -> Vec<Result<Settled, Fault>> {
        if rows.is_empty() {
            return Vec::new();
        }
        let found = match self.found(rows.iter().map(|(_, row)| &row.profile.account)).await {
            Ok(found) => found,
            Err(fault) => return vec![Err(fault)],
        };
        let settled = iter(rows.into_iter().zip(found)).map(|((line, candidate), (found, owner))| async move {
            let (candidate, fate) = self.settle(candidate, found, owner).await?;
            Ok(Settled { line, candidate, fate })
        });
        settled.buffered(WRITES).collect().await
    }

    /// The accounts that exist with the addresses of some rows, at most [`CHUNK`], and the owners of their identities.
    async fn found(
        &self,
        rows: impl Iterator<Item = &Account> + Clone,
    ) -> Result<Vec<(Option<Profile>, Option<AccountKey>)>, Fault> {
        let keys: Vec<AccountKey> = rows.clone().map(|account| account.key.clone()).collect();
        let subs: Vec<&str> = rows.clone().filter_map(|account| account.google_sub.as_deref()).collect();
        let (found, linked) = self.deployment.operator.accounts(&keys, &subs).await?;
        let mut linked = linked.into_iter();
        let owners = rows.map(|account| account.google_sub.as_ref().and_then(|_| linked.next().flatten()));
        Ok(found.into_iter().zip(owners).collect())
    }

    /// The first of some rows that the table does not refuse, as its id.
    pub(crate) async fn first_accepted(&self, rows: &[Candidate]) -> Result<Option<u64>, Fault> {
        for some in rows.chunks(CHUNK) {
            let found = self.found(some.iter().map(|row| &row.profile.account)).await?;
            for (row, (found, owner)) in some.iter().zip(found) {
                let account = &row.profile.account;
                if self.existing(account, found, owner.as_ref()).await?.is_ok() {
                    return Ok(Some(account.id));
                }
            }
        }
        Ok(None)
    }

    /// The account of a row, if there is one. The inner error is the reason why the table refuses the row, whose id it may
    /// not have yet.
    async fn existing(
        &self,
        account: &Account,
        found: Option<Profile>,
        owner: Option<&AccountKey>,
    ) -> Result<Result<Option<Profile>, Remark>, Fault> {
        let (id, email) = (account.id, &account.email);
        // An account that has left the address may still be under its key.
        let found = found.filter(|found| found.account.id == id || found.account.email == *email);
        let found = match found {
            None if !self.was_empty => match self.owner_of(id).await? {
                Ok(owner) => owner,
                Err(remark) => return Ok(Err(remark)),
            },
            found => found,
        };
        let Some(found) = found else {
            let is_elsewhere = owner.is_some_and(|owner| *owner != account.key);
            return Ok(if is_elsewhere { Err(IDENTITY_TAKEN) } else { Ok(None) });
        };
        if found.account.id != id {
            return Ok(Err(if found.imported.is_some() { ID_DIFFERS } else { ADDRESS_TAKEN }));
        }
        let moves = found.account.email != *email;
        if moves && found.imported.is_none() {
            return Ok(Err(ID_TAKEN));
        }
        if moves && self.move_addresses && self.deployment.operator.has_account(email).await? {
            return Ok(Err(ADDRESS_TAKEN));
        }
        Ok(Ok(Some(found)))
    }

    async fn settle(
        &self,
        mut row: Candidate,
        found: Option<Profile>,
        owner: Option<AccountKey>,
    ) -> Result<(Candidate, Fate), Fault> {
        let need = self.need(&mut row, found, owner).await?;
        let fate = match need {
            Need::Nothing(fate) => fate,
            Need::Create if self.dry => Fate::Created,
            Need::Update(_) if self.dry => Fate::Updated,
            Need::Create => {
                self.complete(&mut row, None).await?;
                // The profile and the check of its address, and the link of its identity.
                self.rate.take(if row.profile.account.google_sub.is_some() { 3.0 } else { 2.0 }).await;
                match self.deployment.operator.insert(&row.profile).await? {
                    Inserted::Yes => Fate::Created,
                    Inserted::AddressTaken => Fate::NotWritten(Outcome::Refused, ADDRESS_TAKEN),
                    Inserted::IdentityTaken => Fate::NotWritten(Outcome::Refused, IDENTITY_TAKEN),
                }
            }
            Need::Update(found) => {
                let (old, new) = (&found.account.google_sub, &row.profile.account.google_sub);
                let links = if old == new { 0 } else { u8::from(old.is_some()) + u8::from(new.is_some()) };
                let moves = u8::from(found.account.email != row.profile.account.email);
                self.rate.take(1.0 + f64::from(links + 3 * moves)).await;
                let replaced = self.deployment.operator.replace(&found, &row.profile).await?;
                if replaced { Fate::Updated } else { Fate::NotWritten(Outcome::Left, CHANGED_HERE) }
            }
        };
        Ok((row, fate))
    }

    /// Compares a row with the table.
    async fn need(
        &self,
        row: &mut Candidate,
        found: Option<Profile>,
        owner: Option<AccountKey>,
    ) -> Result<Need, Fault> {
        let refused = |remark| Ok(Need::Nothing(Fate::NotWritten(Outcome::Refused, remark)));
        let account = &row.profile.account;
        let found = match self.existing(account, found, owner.as_ref()).await? {
            Ok(found) => found,
            Err(remark) => return refused(remark),
        };
        let Some(found) = found else {
            if row.profile.account.id <= self.imported_ids {
                if self.without_deleted {
                    return Ok(Need::Nothing(Fate::NotWritten(Outcome::Left, MAYBE_DELETED)));
                }
                row.changes.push(MAYBE_DELETED);
            }
            return Ok(Need::Create);
        };
        let is_elsewhere = owner.is_some_and(|owner| owner != found.account.key);
        let moves = found.account.email != account.email;
        row.profile.account.key = found.account.key.clone();
        self.complete(row, Some(&found)).await?;
        let digest = digest_of(&row.profile)?;
        match &found.imported {
            Some(imported) if imported.digest == digest => Ok(Need::Nothing(Fate::Unchanged)),
            None if digest_of(&found)? == digest => Ok(Need::Nothing(Fate::Unchanged)),
            None => refused(ADDRESS_TAKEN),
            Some(_) if is_elsewhere => refused(IDENTITY_TAKEN),
            Some(_) if moves && !self.move_addresses && found.is_untouched()? => refused(ADDRESS_CHANGED),
            Some(_) if found.is_untouched()? => Ok(Need::Update(Box::new(found))),
            Some(_) => Ok(Need::Nothing(Fate::NotWritten(Outcome::Left, CHANGED_HERE))),
        }
    }

    /// The account with this id, if there is one. The inner error is the reason why a row with the id is refused.
    async fn owner_of(&self, id: u64) -> Result<Result<Option<Profile>, Remark>, Fault> {
        let owners = self.deployment.operator.owners(id).await?;
        match owners.as_slice() {
            [] => Ok(Ok(None)),
            [_] => {
                let (found, _) = self.deployment.operator.accounts(&owners, &[]).await?;
                Ok(Ok(found.into_iter().next().flatten()))
            }
            _ => Ok(Err(ID_TAKEN)),
        }
    }

    /// Completes the account of a row as it will be written: password, generation, and the mark of the import.
    async fn complete(&self, row: &mut Candidate, found: Option<&Profile>) -> Result<(), Fault> {
        let account = &mut row.profile.account;
        account.password = match std::mem::replace(&mut row.secret, Secret::None) {
            Secret::None => None,
            Secret::Stored(stored) => Some(stored),
            Secret::Fast(fast) => Some(self.deployment.passwords.wrap(fast, salt(&account.key, account.id)).await?),
        };
        if row.is_disabled_by_flag {
            account.disabled_at = found.and_then(|found| found.account.disabled_at).or(Some(self.now.seconds()));
        }
        if let Some(found) = found {
            // A changed password, identity or address ends the sessions of the account, and so does disabling it.
            let is_other = found.account.password != account.password
                || found.account.google_sub != account.google_sub
                || found.account.email != account.email
                || (account.is_disabled() && !found.account.is_disabled());
            account.generation = found.account.generation + u64::from(is_other);
        }
        let imported = Imported {
            run: found.and_then(|found| found.imported.as_ref()).map_or_else(|| self.id.clone(), |old| old.run.clone()),
            digest: digest_of(&row.profile)?,
            generation: row.profile.account.generation,
        };
        row.profile.imported = Some(imported);
        Ok(())
    }
}

/// The digest of an account as an import writes it.
fn digest_of(profile: &Profile) -> Result<String, Fault> {
    profile.account.digest(profile.created_at)
}

/// The salt of a wrapped hash. It is the same in every run, so that a run can be repeated. It depends on the account
/// alone: a salt that depended on the fast hash would give a fast way to test guesses.
fn salt(key: &AccountKey, id: u64) -> [u8; 16] {
    let digest = Sha256::digest(format!("accounts import {} {id}", key.as_str()));
    let mut salt = [0; 16];
    salt.iter_mut().zip(digest).for_each(|(byte, of)| *byte = of);
    salt
}

impl Counts {
    pub(crate) fn add(&mut self, settled: &Settled) {
        let account = &settled.candidate.profile.account;
        self.rows += 1;
        match settled.fate {
            Fate::Created => {
                self.created += 1;
                let has_password = account.password.is_some() || !matches!(settled.candidate.secret, Secret::None);
                self.without_password += u64::from(!has_password);
                self.unproved += u64::from(!account.email_verified);
            }
            Fate::Updated => self.updated += 1,
            Fate::Unchanged => self.unchanged += 1,
            Fate::NotWritten(Outcome::Left, _) => self.left += 1,
            Fate::NotWritten(..) => self.refused += 1,
        }
        let is_written = matches!(settled.fate, Fate::Created | Fate::Updated);
        self.with_changes += u64::from(is_written && !settled.candidate.changes.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_run_has_the_time_when_it_began_and_an_older_id_has_none() {
        let now = Timestamp::from_seconds(1_795_370_760);
        assert_eq!(began(&run_id(now).unwrap()), Some(now));
        for older in ["80c7dbb3c642d196", "", "run"] {
            assert_eq!(began(older), None, "{older}");
        }
    }
}
