//! Changes of address. A link goes to the new address; the old one stays the account's until somebody opens the link. An
//! address that an account has left can be restored for some time by a lock ([`super::locks`]).

use super::MailBudget;
use crate::account::Account;
use crate::store::addresses;
use crate::store::items::address::{self, FormerEmail};
use crate::store::items::mails;
use crate::store::items::profile::{self, CHANGE, FORMER_EMAILS, Profile, RESET_TOKEN, VERIFY_TOKEN};
use crate::store::items::session::{self, Session};
use crate::store::table::{Guard, Table, Update, again, n, s};
use crate::system::clock::Timestamp;
use crate::{Email, Fault, Setup, Token};

/// The lifetime of a link: 24 hours, in seconds.
const LIFETIME_SECONDS: u64 = 24 * 60 * 60;
/// How long an address that an account has left can be restored, as long as the link of a notice lives: 72 hours, in
/// milliseconds.
const WAY_BACK_MILLISECONDS: u64 = 72 * 60 * 60 * 1000;
/// The maximum number of addresses of an account that can be restored. Of more, the earliest and the latest ones are kept.
const FORMER_MAX: usize = 8;
/// The sort key of the count of the links to an address, and of those that an account has asked for.
const COUNT: &str = "changes";
/// The maximum number of attempts if other calls change the account at the same time.
const ROUNDS: usize = 4;

/// The changes of addresses in the accounts table.
#[derive(Clone)]
pub struct EmailChanges {
    table: Table,
    budget: MailBudget,
}

/// The outcome of a request for a change.
pub enum Asked {
    /// The token for the link to the new address. It replaces any older one.
    Token(Token),
    /// The address has an account already, maybe the caller's own.
    Taken,
    /// Too many links were mailed to the address, or for the account, in the last 24 hours.
    TooMany,
    /// The account was deleted or disabled, or all its sessions were ended, since it was read.
    NoSession,
}

impl EmailChanges {
    /// Reads `ACCOUNTS_TABLE` and `MAILS_PER_DAY`.
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::accounts(setup), budget: MailBudget::new(setup) }
    }

    /// The lifetime of a link in hours.
    pub fn lifetime_hours(&self) -> u64 {
        LIFETIME_SECONDS / 3600
    }

    /// Issues a token for the change of the address of the caller's account, and counts its mail.
    pub async fn ask(&self, session: &Session, email: &Email) -> Result<Asked, Fault> {
        let account = &session.account;
        if addresses::account_of(&self.table, email).await?.is_some() {
            return Ok(Asked::Taken);
        }
        for counted in [&account.email, email] {
            if !self.budget.count(&mails::links(counted, COUNT)).await? {
                return Ok(Asked::TooMany);
            }
        }
        let expires_at = self.table.now().plus_seconds(LIFETIME_SECONDS);
        let token = Token::mint_until(&account.key, expires_at, self.table.random())?;
        let update = Update::new()
            .set("change_hash", s(&token.hash()))
            .set("change_expires_at", n(expires_at.seconds()))
            .set("change_email", s(email.as_str()))
            .set("change_generation", n(account.generation))
            .set("change_session", s(&session::sort_key(&session.token)));
        let write = profile::update(account, update).when(profile::is_enabled()).when(profile::has_same_email(account));
        Ok(self.table.write(write).await?.map_or(Asked::NoSession, |()| Asked::Token(token)))
    }

    /// Changes the address with a token, which proves the new one. All sessions end but the one that asked for the change,
    /// and all links that were mailed to the old address but those of notices. Returns the account with its new address, or
    /// `None` if the token is invalid or expired, or if the address has got another account in the meantime.
    pub async fn confirm(&self, token: &Token) -> Result<Option<Account>, Fault> {
        again(ROUNDS, "table.change", || async move {
            let now = self.table.now();
            let item = self.table.item(profile::key_of(token.account())).await?;
            let Some(found) = item.map(profile::read).transpose()? else { return Ok(Some(None)) };
            let account = found.account.clone();
            let change = found.change.clone().filter(|change| {
                let is_live = change.generation == account.generation && change.expires_at > now.seconds();
                is_live && change.hash == token.hash() && !account.is_disabled()
            });
            let Some(change) = change else { return Ok(Some(None)) };
            let update = profile::verify(with_email(&found, &change.email, now));
            let guard = is_change(token).and(profile::is_enabled()).and(profile::has_same_email(&account));
            let guard = guard.and(profile::has_same_proof(&account));
            let mut writes = vec![profile::update(&account, update).when(guard)];
            writes.extend(address::move_to(&change.email, &account)?);
            let kept = writes.len();
            let keeping: Vec<_> = writes.iter().cloned().chain([session::keep(&account, &change.session)]).collect();
            let outcome = match self.table.transact(keeping).await? {
                // The session has ended since it asked for the change.
                Err(refused) if refused.index == kept => self.table.transact(writes).await?,
                outcome => outcome,
            };
            match outcome {
                Ok(()) => {
                    let (email, generation) = (change.email, account.generation + 1);
                    Ok(Some(Some(Account { email, generation, email_verified: true, ..account })))
                }
                // The account has changed since it was read.
                Err(refused) if refused.index == 0 => Ok(None),
                Err(_) => Ok(Some(None)),
            }
        })
        .await
    }
}

/// The address that a lock restores: the one that the account had as long ago as a link of a notice lives.
pub(super) fn restorable(former: &[FormerEmail], now: Timestamp) -> Option<&FormerEmail> {
    let since = now.milliseconds().saturating_sub(WAY_BACK_MILLISECONDS);
    former.iter().find(|former| former.left_at > since)
}

/// The update after which an account has another address, and its old one can be restored. All sessions end, and all
/// links that were mailed to the old address but those of notices.
pub(in crate::store) fn with_email(profile: &Profile, email: &Email, now: Timestamp) -> Update {
    let (account, mut former) = (&profile.account, profile.former_emails.clone());
    let since = now.milliseconds().saturating_sub(WAY_BACK_MILLISECONDS);
    former.retain(|former| former.left_at > since);
    let left = account.email.as_str().to_owned();
    former.push(FormerEmail { left_at: now.milliseconds(), is_verified: account.email_verified, email: left });
    if former.len() > FORMER_MAX {
        former.remove(1);
    }
    Update::new()
        .set("email", s(email.as_str()))
        .set("generation", n(account.generation + 1))
        .set(FORMER_EMAILS, address::former_emails(&former))
        .remove(RESET_TOKEN)
        .remove(VERIFY_TOKEN)
        .remove(CHANGE)
}

fn is_change(token: &Token) -> Guard {
    Guard::Equals("change_hash", s(&token.hash()))
}
