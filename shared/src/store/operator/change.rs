//! An operator's changes of one account, and the repairs of damaged rows. A repair has the condition that its rows are
//! as it expects, and returns false if they are not. None deletes a profile.

use aws_sdk_dynamodb::types::AttributeValue;

use super::Operator;
use crate::account::{Account, AccountKey};
use crate::store::accounts::{self, Erased};
use crate::store::items::address::{self, ADDRESS};
use crate::store::items::not_before::{self, NotBefore};
use crate::store::items::passkey::StoredPasskey;
use crate::store::items::profile::{self, ALL_PASSKEYS, CHANGE, PASSWORD_FORMAT, Profile, RESET_TOKEN};
use crate::store::items::session::StoredSession;
use crate::store::items::{RowKey, identity, passkey};
use crate::store::mailed::{NewReset, email_changes, locks};
use crate::store::opening::Removed;
use crate::store::passkeys;
use crate::store::table::{Guard, Item, Update, Write, again, key, n, number, s};
use crate::system::clock::Timestamp;
use crate::{Email, Fault};

/// The maximum number of attempts if another operator ends all sessions at the same time.
const ROUNDS: usize = 4;

/// An operator's action on one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Nobody can sign in any more. All sessions and the reset token end, and all browsers are forgotten.
    Disable(Timestamp),
    /// Its owner can sign in again.
    Enable,
    /// The password is removed. All sessions and the reset token end, and all browsers are forgotten. The owner sets a
    /// new password by mail.
    ForceReset,
    /// Every way in ends but the mailbox and the identity provider's. The owner sets a new password by mail.
    Lock,
    /// All sessions end, and all browsers are forgotten.
    EndSessions,
    /// The address is proved by the operator's word. If nobody had proved it before, every way in from before ends but the
    /// identity provider's, and the owner sets a new password by mail.
    Verify,
}

/// The outcome of a change of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moved {
    /// The account has the address.
    Done,
    /// Another account has it.
    Taken,
    /// The account has changed since it was read, or was deleted.
    Changed,
}

impl Operator {
    /// Changes an account. Returns false if it was deleted or replaced after it was read.
    pub async fn act(&self, profile: &Profile, action: Action) -> Result<bool, Fault> {
        let account = &profile.account;
        let update = match action {
            Action::Disable(now) => ended().set("disabled_at", n(now.seconds())).remove(RESET_TOKEN),
            Action::Enable => Update::new().remove(&["disabled_at"]),
            Action::ForceReset => profile::remove_password(ended()).remove(RESET_TOKEN),
            Action::Lock => return self.lock(account).await,
            Action::Verify => return self.verify(profile).await,
            Action::EndSessions => ended(),
        };
        let guard = profile::is_of(account);
        Ok(self.table.write(Write::update(profile::key_of(&account.key), update).when(guard)).await?.is_ok())
    }

    /// Removes the password of an account and ends its sessions, as [`Action::ForceReset`] does, if its sessions were not
    /// ended since it was read, as a new password ends them. A token replaces any older one. Returns false if they were, or
    /// if the account was deleted or replaced.
    pub async fn force_reset(&self, account: &Account, token: Option<&NewReset>) -> Result<bool, Fault> {
        let update = profile::remove_password(ended());
        let update = match token {
            Some(token) => with_token(account, token, update),
            None => update.remove(RESET_TOKEN),
        };
        self.change_password(account, update).await
    }

    /// Stores a token for an account in place of any older one, if its sessions were not ended since it was read.
    pub async fn store_token(&self, account: &Account, token: &NewReset) -> Result<bool, Fault> {
        self.change_password(account, with_token(account, token, Update::new())).await
    }

    async fn change_password(&self, account: &Account, update: Update) -> Result<bool, Fault> {
        // The link goes to the address that was read.
        let guard = profile::is_unchanged(account).and(profile::has_same_email(account));
        Ok(self.table.write(Write::update(profile::key_of(&account.key), update).when(guard)).await?.is_ok())
    }

    /// Locks an account, as its owner can with the link of a notice.
    async fn lock(&self, account: &Account) -> Result<bool, Fault> {
        let guard = profile::is_of(account);
        let is_same = |item: &Item| number(item, "id") == Some(account.id);
        Ok(locks::lock(&self.table, &account.key, (&guard, &is_same), None).await?.is_some())
    }

    async fn verify(&self, found: &Profile) -> Result<bool, Fault> {
        let account = &found.account;
        let guard = profile::is_unchanged(account).and(profile::has_same_passkeys(account));
        let guard = guard.and(profile::has_same_proof(account)).and(profile::has_same_identity(account));
        let update = profile::hand_over(Update::new().increase("generation", 1), self.table.now());
        let update = profile::remove_password(update).remove(&["browsers"]);
        let update = update.remove(RESET_TOKEN).remove(CHANGE).remove(ALL_PASSKEYS);
        let (update, unlink) = identity::end_of_moved(found, update);
        let mut writes = vec![Write::update(profile::key_of(&account.key), update).when(guard)];
        writes.extend(passkey::delete_all(account).chain(unlink));
        Ok(self.table.transact(writes).await?.is_ok())
    }

    /// Gives an account another address, which nobody has proved. All sessions end, and all links that were mailed to the
    /// old address but those of notices. Its owner can restore the old address, as after a change of their own.
    pub async fn set_email(&self, profile: &Profile, email: &Email) -> Result<Moved, Fault> {
        let account = &profile.account;
        let update = email_changes::with_email(profile, email, self.table.now());
        let update = update.set("email_verified", AttributeValue::Bool(false)).remove(&["browsers"]);
        let mut writes = vec![
            profile::update(account, update)
                .when(profile::has_same_email(account).and(profile::has_same_proof(account))),
        ];
        writes.extend(address::move_to(email, account)?);
        Ok(match self.table.transact(writes).await? {
            Ok(()) => Moved::Done,
            Err(refused) if refused.index == 0 => Moved::Changed,
            Err(_) => Moved::Taken,
        })
    }

    /// Deletes the pointer of an address, if its account does not have the address.
    pub async fn delete_stale_address(&self, address: &str, account: &str) -> Result<bool, Fault> {
        let Some(account) = AccountKey::parse(account) else { return Ok(false) };
        let found = self.table.item(profile::key_of(&account)).await?.map(profile::account).transpose()?;
        let stale = match &found {
            None => profile::check_absent(account.as_str()),
            Some(found) if AccountKey::of(&found.email).as_str() == address => return Ok(false),
            Some(found) => Write::check(profile::key_of(&account), profile::has_same_email(found)),
        };
        let is_own = Guard::Equals("account", s(account.as_str()));
        let pointer = Write::delete(key(address, ADDRESS)).when(is_own);
        Ok(self.table.transact(vec![stale, pointer]).await?.is_ok())
    }

    /// Writes the pointer of an account's address, if the address names no account.
    pub async fn restore_address(&self, key: &AccountKey, email: &Email) -> Result<bool, Fault> {
        let has_it = Guard::Equals("email", s(email.as_str()));
        let mut writes = vec![Write::check(profile::key_of(key), has_it)];
        writes.extend(address::claim(email, key)?);
        Ok(self.table.transact(writes).await?.is_ok())
    }

    /// The passkeys of an account, in the order in which they were created.
    pub async fn passkeys(&self, account: &Account) -> Result<Vec<StoredPasskey>, Fault> {
        passkeys::list(&self.table, account).await
    }

    /// Removes a passkey of an account, and ends its sessions. Returns false if the account does not have it, or if the
    /// account was deleted or replaced or its sessions were ended after it was read.
    pub async fn remove_passkey(&self, account: &Account, id: &str) -> Result<bool, Fault> {
        Ok(matches!(passkeys::remove(&self.table, account, id).await?, Removed::Done(())))
    }

    /// Ends a session. Returns false if it had ended before.
    /// If it fails, the session may still be live.
    pub async fn end_session(&self, key: &AccountKey, session: &StoredSession) -> Result<bool, Fault> {
        Ok(self.table.write(session.delete(key).when(Guard::exists())).await?.is_ok())
    }

    /// The time before which no login counts. It fails also if its item is broken.
    pub async fn not_before(&self) -> Result<NotBefore, Fault> {
        NotBefore::read(self.table.item(not_before::key_of()).await?.as_ref())
    }

    /// Ends all sessions whose owners signed in before a time. Returns false if this time or a later one was stored before:
    /// it only moves forward. A stored time that cannot be read is replaced.
    pub async fn end_sessions_before(&self, time: NotBefore) -> Result<bool, Fault> {
        again(ROUNDS, "table.not-before", || async move {
            let stored = self.table.item(not_before::key_of()).await?;
            if NotBefore::read(stored.as_ref()).is_ok_and(|stored| stored >= time) {
                return Ok(Some(false));
            }
            // If the guard fails, another operator has stored a time since.
            Ok(self.table.write(time.replace(stored.as_ref())).await?.is_ok().then_some(true))
        })
        .await
    }

    /// Removes the password of an account, if its hash still has the format that was read. The sessions stay; the owner sets
    /// a new password by mail. Returns false if the hash has another format, or there is none.
    pub async fn remove_password(&self, account: &Account) -> Result<bool, Fault> {
        let Some(format) = account.password.format() else { return Ok(false) };
        let guard = profile::is_of(account).and(Guard::Equals(PASSWORD_FORMAT, s(format.name())));
        let update = profile::remove_password(Update::new());
        Ok(self.table.write(Write::update(profile::key_of(&account.key), update).when(guard)).await?.is_ok())
    }

    /// Deletes an account and everything that belongs to it, as its owner can. If it fails halfway, the profile still
    /// exists, and a retry completes the deletion.
    /// It fails also if the account keeps changing.
    pub async fn erase(&self, account: &Account) -> Result<Erased, Fault> {
        accounts::erase(&self.table, account, None).await
    }

    /// Sets the `profile_id` of an account to its id. `found` is the current `profile_id`.
    pub async fn set_profile_id(&self, key: &AccountKey, id: u64, found: Option<u64>) -> Result<bool, Fault> {
        let guard = Guard::Equals("id", n(id)).and(Guard::still("profile_id", found.map(n)));
        let update = Update::new().set("profile_id", n(id));
        Ok(self.table.write(Write::update(profile::key_of(key), update).when(guard)).await?.is_ok())
    }

    /// Deletes a session if there is no account for it.
    pub async fn delete_session_without_account(&self, pk: &str, sk: &str) -> Result<bool, Fault> {
        let session = Write::delete(key(pk, sk)).when(Guard::exists());
        Ok(self.table.transact(vec![profile::check_absent(pk), session]).await?.is_ok())
    }

    /// Deletes an identity if it is linked to this account and the account does not exist.
    pub async fn delete_identity_without_account(&self, sub: &str, account: &str) -> Result<bool, Fault> {
        let identity = Write::delete(identity::key_of(sub)).when(Guard::Equals("account", s(account)));
        Ok(self.table.transact(vec![profile::check_absent(account), identity]).await?.is_ok())
    }

    /// Deletes a passkey, or the pointer to its account, if the account does not name the passkey.
    pub async fn delete_unnamed_passkey(&self, account: &str, id: &str, (pk, sk): &RowKey) -> Result<bool, Fault> {
        let is_unnamed = Guard::Any(vec![Guard::absent(), Guard::Lacks("passkeys", s(id))]);
        let unnamed = Write::check(key(account, profile::PROFILE), is_unnamed);
        let is_own = Guard::Any(vec![Guard::Without("account"), Guard::Equals("account", s(account))]);
        let row = Write::delete(key(pk, sk)).when(Guard::exists().and(is_own));
        Ok(self.table.transact(vec![unnamed, row]).await?.is_ok())
    }

    /// Links the identity of an account to it, if the identity is not linked to any account.
    pub async fn restore_identity(&self, sub: &str, key: &AccountKey, id: u64) -> Result<bool, Fault> {
        let is_owner = Guard::Equals("id", n(id)).and(Guard::Equals("google_sub", s(sub)));
        let account = Write::check(profile::key_of(key), is_owner);
        Ok(self.table.transact(vec![account, identity::insert(sub, key)?]).await?.is_ok())
    }
}

/// The update that ends all sessions, and forgets all browsers.
fn ended() -> Update {
    Update::new().increase("generation", 1).remove(&["browsers"])
}

/// Adds a token to an update. The first proof of an address that is proved is not the next one.
fn with_token(account: &Account, token: &NewReset, update: Update) -> Update {
    let update = token.store(update);
    if account.email_verified { profile::not_handed_over(update) } else { update }
}
