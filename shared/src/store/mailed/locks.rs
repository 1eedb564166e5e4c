//! The links of notices, with which the owner of an address locks the account.
//!
//! Unlike the other mailed tokens, several are live at once, each for 72 hours: every notice has one. Their expiries and
//! hashes are a set in the profile. An entry begins with the expiry, so the oldest is the first one.

use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};

use super::NewReset;
use crate::account::{Account, AccountKey};
use crate::store::items::passkey;
use crate::store::items::profile::{self, LOCK_LINKS, RESET_TOKEN};
use crate::store::table::{Guard, Item, Table, Update, Write, again, n, number, s};
use crate::{Fault, Setup, Token};

/// The lifetime of a link: 72 hours, in seconds. Its owner may read the notice only after a weekend.
const LIFETIME_SECONDS: u64 = 72 * 60 * 60;
/// The maximum number of live links of an account. A further one replaces the oldest. They have 4 KB.
const LINKS_MAX: usize = 64;
/// The maximum number of attempts if other calls change the account at the same time.
const ROUNDS: usize = 16;

/// The links in the accounts table.
#[derive(Clone)]
pub struct Locks {
    table: Table,
}

impl Locks {
    /// Reads `ACCOUNTS_TABLE`.
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::accounts(setup) }
    }

    /// Issues a link. Returns `None` if the account was deleted after it was read.
    pub async fn issue(&self, account: &Account) -> Result<Option<Token>, Fault> {
        let expires_at = self.table.now().plus_seconds(LIFETIME_SECONDS);
        let token = Token::mint_until(&account.key, expires_at, self.table.random())?;
        let new = entry(&token).unwrap_or_default();
        let is_same = || Guard::exists().and(profile::is_of(account));
        let write = |update: Update, guard: Guard| {
            self.table.write(Write::update(profile::key_of(&account.key), update).when(is_same()).when(guard))
        };
        let add = || Update::new().add(LOCK_LINKS, AttributeValue::Ss(vec![new.clone()]));
        let most = u64::try_from(LINKS_MAX).unwrap_or(u64::MAX);
        let has_room = || Guard::Any(vec![Guard::Without(LOCK_LINKS), Guard::Fewer(LOCK_LINKS, n(most))]);
        let (new, token) = (&new, &token);
        again(ROUNDS, "table.links", || async move {
            let Err(refused) = write(add(), has_room()).await? else { return Ok(Some(Some(token.clone()))) };
            let same = refused.item.filter(|item| number(item, "id") == Some(account.id));
            let Some(item) = same else { return Ok(Some(None)) };
            let Some(AttributeValue::Ss(read)) = item.get(LOCK_LINKS) else { return Ok(Some(None)) };
            let mut links = read.clone();
            links.sort_unstable();
            links.drain(..links.len().saturating_sub(LINKS_MAX - 1));
            links.push(new.clone());
            let still = Guard::still(LOCK_LINKS, item.get(LOCK_LINKS).cloned());
            let replaced = write(Update::new().set(LOCK_LINKS, AttributeValue::Ss(links)), still).await?;
            Ok(replaced.is_ok().then(|| Some(token.clone())))
        })
        .await
    }

    /// Locks the account of a link: in one write, every way in ends but the mailbox and the identity provider's, and the
    /// token of `reset` becomes the only live link. Returns the account, or `None` if the link is invalid,
    /// expired or used.
    pub async fn lock(&self, token: &Token, reset: &NewReset) -> Result<Option<Account>, Fault> {
        let now = self.table.now();
        let live = entry(token).filter(|_| token.expires_at().is_some_and(|at| at > now));
        let Some(live) = live else { return Ok(None) };
        let guard = Guard::exists().and(Guard::Contains(LOCK_LINKS, s(&live)));
        let is_live =
            |item: &Item| matches!(item.get(LOCK_LINKS), Some(AttributeValue::Ss(links)) if links.contains(&live));
        lock(&self.table, token.account(), (&guard, &is_live), Some(reset)).await
    }

    /// Makes a link live again, because the mail of the lock could not be sent and its owner has to repeat it.
    pub async fn restore(&self, token: &Token, reset: &NewReset) -> Result<(), Fault> {
        let Some(entry) = entry(token) else { return Ok(()) };
        let update = Update::new().add(LOCK_LINKS, AttributeValue::Ss(vec![entry]));
        let is_same = Guard::exists().and(reset.is_stored());
        self.table.write(Write::update(profile::key_of(token.account()), update).when(is_same)).await.map(|_| ())
    }
}

/// Locks an account that meets a guard; the function says whether an item meets it. Most accounts have no passkeys, which
/// the first write supposes. If there are some, a transaction deletes their items too.
pub(in crate::store) async fn lock(
    table: &Table,
    key: &AccountKey,
    (guard, is_met_by): (&Guard, &(dyn Fn(&Item) -> bool + Sync)),
    reset: Option<&NewReset>,
) -> Result<Option<Account>, Fault> {
    again(ROUNDS, "table.lock", || async move {
        let update = profile::lock(table.now());
        let update = match reset {
            Some(reset) => reset.store(update),
            None => update.remove(RESET_TOKEN),
        };
        let write = Write::update(profile::key_of(key), update).when(guard.clone());
        let alone = write.clone().when(Guard::Without("passkeys"));
        let found = match table.write_returning(alone, ReturnValue::AllNew).await? {
            Ok(locked) => return profile::account(locked).map(|account| Some(Some(account))),
            Err(refused) => refused.item.filter(is_met_by),
        };
        let Some(found) = found.map(profile::account).transpose()? else { return Ok(Some(None)) };
        let mut writes = vec![write.when(profile::has_same_passkeys(&found))];
        writes.extend(passkey::delete_all(&found));
        match table.transact(writes).await? {
            Ok(()) => Ok(Some(Some(found))),
            Err(refused) if refused.index > 0 => Err(Fault::new("table.lock", "credential of another account")),
            // The passkeys have changed since they were read, or the guard does not hold any more.
            Err(_) => Ok(None),
        }
    })
    .await
}

/// The entry of a link in the set.
fn entry(token: &Token) -> Option<String> {
    Some(format!("{:010}#{}", token.expires_at()?.seconds(), token.hash()))
}
