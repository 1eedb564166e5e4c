//! A run: reads the accounts that exist, decides what each row needs, and writes it unless the run is dry.

use futures_util::StreamExt;
use futures_util::stream::iter;
use sha2::{Digest, Sha256};
use shared::password::StoredPassword;
use shared::store::operator::{Imported, Inserted, Profile};
use shared::system::clock::Timestamp;
use shared::{Account, AccountKey, Fault};

use super::counts::{Fate, Settled};
use super::report::{Outcome, Remark};
use super::row::{Candidate, Secret};
use super::wrapping::Wrapping;
use crate::connection::Deployment;
use crate::interruption::Interruption;
use crate::rate::Rate;

/// The rows that are read together. With their identities they are one `BatchGetItem`, which has at most 100 keys.
pub(crate) const CHUNK: usize = 50;
/// The writes of a chunk that run in parallel.
const WRITES: usize = 16;
/// How often a row is compared with the table if others change its account at the same time, such as another import.
const ROUNDS: usize = 4;

const ADDRESS_TAKEN: Remark =
    Remark::new("address-taken", "somebody has registered this address here: ask the user which account to keep");
const MOVED_TO_TAKEN: Remark = Remark::new(
    "address-taken",
    "another account here has the new address: if its user has left it, run the import again; otherwise ask the user which \
     account to keep",
);
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
pub(super) const CHANGED_HERE: Remark =
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
    pub(crate) wrapping: Wrapping,
    pub(crate) interruption: Interruption,
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
        // A slow rate would make all of them last.
        let rows = rows.into_iter().zip(found).take_while(|_| !self.is_interrupted());
        let settled = iter(rows).map(|((line, candidate), (found, owner))| async move {
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
            return Ok(Err(MOVED_TO_TAKEN));
        }
        Ok(Ok(Some(found)))
    }

    /// Brings a row into the table. If its account changes at the same time, the row is compared again: another import may
    /// have written it.
    async fn settle(
        &self,
        mut row: Candidate,
        mut found: Option<Profile>,
        mut owner: Option<AccountKey>,
    ) -> Result<(Candidate, Fate), Fault> {
        let home = row.profile.account.key.clone();
        let mut conflict = None;
        for _ in 0..ROUNDS {
            let written = match (self.need(&mut row, found, owner).await?, conflict) {
                (Need::Nothing(fate), _) => Ok(fate),
                // The account was deleted after it was read.
                (Need::Create, Some(conflict @ (Outcome::Left, _))) => Err(conflict),
                (Need::Create, _) if self.dry => Ok(Fate::Created),
                (Need::Update(_), _) if self.dry => Ok(Fate::Updated),
                (Need::Create, _) => self.create(&mut row).await?,
                (Need::Update(found), _) => self.update(&mut row, &found).await?,
            };
            match written {
                Ok(fate) => return Ok((row, fate)),
                Err(other) => conflict = Some(other),
            }
            row.profile.account.key = home.clone();
            (found, owner) = self.found(std::iter::once(&row.profile.account)).await?.pop().unwrap_or_default();
        }
        let (outcome, remark) = conflict.unwrap_or((Outcome::Left, CHANGED_HERE));
        Ok((row, Fate::NotWritten(outcome, remark)))
    }

    /// Creates the account of a row. The inner error says what somebody else has written meanwhile.
    async fn create(&self, row: &mut Candidate) -> Result<Result<Fate, (Outcome, Remark)>, Fault> {
        self.hash(row).await?;
        self.complete(row, None)?;
        // The profile and the check of its address, and the link of its identity.
        self.rate.take(if row.profile.account.google_sub.is_some() { 3.0 } else { 2.0 }).await;
        Ok(match self.deployment.operator.insert(&row.profile).await? {
            Inserted::Yes => Ok(Fate::Created),
            Inserted::AddressTaken => Err((Outcome::Refused, ADDRESS_TAKEN)),
            Inserted::IdentityTaken => Err((Outcome::Refused, IDENTITY_TAKEN)),
        })
    }

    /// Replaces an account by that of a row. The inner error says that somebody else has changed it meanwhile.
    async fn update(&self, row: &mut Candidate, found: &Profile) -> Result<Result<Fate, (Outcome, Remark)>, Fault> {
        self.hash(row).await?;
        self.complete(row, Some(found))?;
        let (old, new) = (&found.account.google_sub, &row.profile.account.google_sub);
        let links = if old == new { 0 } else { u8::from(old.is_some()) + u8::from(new.is_some()) };
        let moves = u8::from(found.account.email != row.profile.account.email);
        self.rate.take(1.0 + f64::from(links + 3 * moves)).await;
        let replaced = self.deployment.operator.replace(found, &row.profile).await?;
        Ok(if replaced { Ok(Fate::Updated) } else { Err((Outcome::Left, CHANGED_HERE)) })
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
                row.changes.retain(|remark| *remark != MAYBE_DELETED);
                row.changes.push(MAYBE_DELETED);
            }
            return Ok(Need::Create);
        };
        let is_elsewhere = owner.is_some_and(|owner| owner != found.account.key);
        let moves = found.account.email != account.email;
        row.profile.account.key = found.account.key.clone();
        if self.is_same(row, &found).await? {
            // As it is now, for the counts.
            row.profile = found;
            return Ok(Need::Nothing(Fate::Unchanged));
        }
        match &found.imported {
            None => refused(ADDRESS_TAKEN),
            Some(_) if is_elsewhere => refused(IDENTITY_TAKEN),
            Some(_) if moves && !self.move_addresses && found.is_untouched()? => refused(ADDRESS_CHANGED),
            Some(_) if found.is_untouched()? => Ok(Need::Update(Box::new(found))),
            Some(_) => {
                row.profile = found;
                Ok(Need::Nothing(Fate::NotWritten(Outcome::Left, CHANGED_HERE)))
            }
        }
    }

    /// Whether a row is as the last import wrote its account or, if no import did, as the account is.
    async fn is_same(&self, row: &mut Candidate, found: &Profile) -> Result<bool, Fault> {
        let before = found.imported.as_ref().and_then(|imported| imported.digest.clone());
        let before = before.map_or_else(|| digest_of(found), Ok)?;
        // Nothing is hashed if the rest of the account tells them apart, or the format and salt of its hash.
        if let Secret::Fast(fast) = &row.secret
            && (found.imported.is_none() || found.is_untouched()?)
        {
            let Some(stored) = found.account.password.hash().filter(|stored| fast.may_be(stored)) else {
                return Ok(false);
            };
            row.profile.account.password = StoredPassword::Hash(stored.clone());
            self.complete(row, Some(found))?;
            if digest_of(&row.profile)? != before {
                return Ok(false);
            }
        }
        self.hash(row).await?;
        self.complete(row, Some(found))?;
        Ok(digest_of(&row.profile)? == before)
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

    /// Gives the account of a row its password.
    async fn hash(&self, row: &mut Candidate) -> Result<(), Fault> {
        let account = &mut row.profile.account;
        account.password = match std::mem::replace(&mut row.secret, Secret::None) {
            Secret::None => return Ok(()),
            Secret::Stored(stored) => StoredPassword::Hash(stored),
            Secret::Fast(fast) => {
                let salt = salt(&account.key, account.id);
                StoredPassword::Hash(self.wrapping.hash(&self.deployment.passwords, fast, salt).await?)
            }
        };
        Ok(())
    }

    /// Completes the account of a row as it will be written: the time of disabling, generation, and the mark of the import.
    fn complete(&self, row: &mut Candidate, found: Option<&Profile>) -> Result<(), Fault> {
        let account = &mut row.profile.account;
        if row.is_disabled_by_flag {
            account.disabled_at = found.and_then(|found| found.account.disabled_at).or(Some(self.now.seconds()));
        }
        if let Some(found) = found {
            // A changed password, identity or address ends the sessions of the account, and so does disabling it.
            let is_other = found.account.password.hash() != account.password.hash()
                || found.account.google_sub != account.google_sub
                || found.account.email != account.email
                || (account.is_disabled() && !found.account.is_disabled());
            account.generation = found.account.generation + u64::from(is_other);
        }
        let imported = Imported {
            run: found.and_then(|found| found.imported.as_ref()).map_or_else(|| self.id.clone(), |old| old.run.clone()),
            digest: Some(digest_of(&row.profile)?),
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
