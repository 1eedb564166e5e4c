//! The links of notices, with which the owner of an address locks the account.
//!
//! Unlike the other mailed tokens, several are live at once, each for 72 hours: every notice has one. Their expiries and
//! hashes are a set in the profile. An entry begins with the expiry, so the oldest is the first one.

use aws_sdk_dynamodb::types::{AttributeValue, ReturnValue};

use super::NewReset;
use super::email_changes::restorable;
use crate::account::{Account, AccountKey};
use crate::store::addresses;
use crate::store::items::address::{self, FormerEmail};
use crate::store::items::profile::{self, FORMER_EMAILS, LOCK_LINKS, RESET_TOKEN};
use crate::store::items::{identity, passkey};
use crate::store::table::{Guard, Item, Table, Update, Write, again, n, number, s};
use crate::{Email, Fault, Setup, Token};

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
        let is_same = profile::is_of(account);
        let write = |update: Update, guard: Guard| {
            self.table.write(Write::update(profile::key_of(&account.key), update).when(is_same.clone()).when(guard))
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

    /// Locks the account of a link: in one write, every way in ends but the mailbox and the identity provider's, the
    /// address from before the changes of the last 72 hours is restored, and the token of `reset` becomes the only live
    /// link. Returns the account, or `None` if the link is invalid, expired or used. The account is disabled, and has no
    /// link, if somebody has proved that address for another account in the meantime.
    pub async fn lock(&self, token: &Token, reset: &NewReset) -> Result<Option<Account>, Fault> {
        let now = self.table.now();
        let live = entry(token).filter(|_| token.expires_at().is_some_and(|at| at > now));
        let Some(live) = live else { return Ok(None) };
        let guard = Guard::Contains(LOCK_LINKS, s(&live));
        let is_live =
            |item: &Item| matches!(item.get(LOCK_LINKS), Some(AttributeValue::Ss(links)) if links.contains(&live));
        lock(&self.table, token.account(), (&guard, &is_live), Some(reset)).await
    }

    /// Makes a link live again, because the mail of the lock could not be sent and its owner has to repeat it.
    pub async fn restore(&self, token: &Token, reset: &NewReset) -> Result<(), Fault> {
        let Some(entry) = entry(token) else { return Ok(()) };
        let update = Update::new().add(LOCK_LINKS, AttributeValue::Ss(vec![entry]));
        self.table
            .write(Write::update(profile::key_of(token.account()), update).when(reset.is_stored()))
            .await
            .map(|_| ())
    }
}

/// Locks an account that meets a guard; the function says whether an item meets it. Most accounts have no passkeys and
/// have never changed their address, which the first write supposes. Otherwise a transaction writes their other items too.
pub(in crate::store) async fn lock(
    table: &Table,
    key: &AccountKey,
    (guard, is_met_by): (&Guard, &(dyn Fn(&Item) -> bool + Sync)),
    reset: Option<&NewReset>,
) -> Result<Option<Account>, Fault> {
    again(ROUNDS, "table.lock", || async move {
        let now = table.now();
        let with_reset = |update: Update| match reset {
            Some(reset) => reset.store(update),
            None => update.remove(RESET_TOKEN),
        };
        let write = |update| Write::update(profile::key_of(key), update).when(guard.clone());
        let alone = write(with_reset(profile::lock(now)));
        let alone = alone.when(Guard::Without("passkeys")).when(Guard::Without(FORMER_EMAILS));
        let found = match table.write_returning(alone, ReturnValue::AllNew).await? {
            Ok(locked) => return profile::account(locked).map(|account| Some(Some(account))),
            Err(refused) => refused.item.filter(is_met_by),
        };
        let Some(found) = found.map(profile::read).transpose()? else { return Ok(Some(None)) };
        let (locked, unlink) = identity::end_of_moved(&found, profile::lock(now));
        let mut account = found.account;
        let unchanged = profile::is_unchanged(&account).and(profile::has_same_passkeys(&account));
        let unchanged = unchanged.and(profile::has_same_identity(&account));
        let mut others: Vec<_> = passkey::delete_all(&account).chain(unlink).collect();
        let former = restorable(&found.former_emails, now).filter(|former| former.email != account.email.as_str());
        let update = match former {
            None => with_reset(locked),
            Some(former) => {
                match way_back(table, &account, former).await? {
                    // The address has come back since the account was read.
                    WayBack::Back => return Ok(None),
                    WayBack::Free(email, writes) => {
                        others.extend(writes);
                        let is_verified = AttributeValue::Bool(former.is_verified);
                        let update = with_reset(locked).set("email", s(email.as_str()));
                        account.email = email;
                        update.set("email_verified", is_verified)
                    }
                    WayBack::Taken => {
                        account.disabled_at = Some(now.seconds());
                        locked.set("disabled_at", n(now.seconds())).remove(RESET_TOKEN)
                    }
                }
            }
        };
        let writes = [write(update).when(unchanged)].into_iter().chain(others).collect();
        // If a guard fails, the account or the one that has its former address has changed since it was read.
        Ok(table.transact(writes).await?.is_ok().then_some(Some(account)))
    })
    .await
}

/// Whether an account can have its former address again.
enum WayBack {
    /// The address, and the writes that give it back.
    Free(Email, Vec<Write>),
    /// Somebody has proved it for another account.
    Taken,
    /// The account has it already.
    Back,
}

/// Looks at a former address. An account that was created with it in the meantime is deleted, if nobody has proved the
/// address for it.
async fn way_back(table: &Table, account: &Account, former: &FormerEmail) -> Result<WayBack, Fault> {
    let Ok(email) = Email::parse(&former.email) else { return Ok(WayBack::Taken) };
    let Some(other) = addresses::account_of(table, &email).await? else {
        let writes = address::move_to(&email, account)?;
        return Ok(WayBack::Free(email, writes));
    };
    if other.key == account.key {
        return Ok(WayBack::Back);
    }
    if other.email_verified {
        return Ok(WayBack::Taken);
    }
    let guard = profile::is_unchanged(&other).and(profile::has_same_proof(&other));
    let guard = guard.and(profile::has_same_passkeys(&other));
    let mut writes = vec![Write::delete(profile::key_of(&other.key)).when(guard)];
    writes.extend(passkey::delete_all(&other));
    writes.extend(address::release(&account.email, &account.key));
    writes.extend(address::take(&email, &account.key, &other.key)?);
    Ok(WayBack::Free(email, writes))
}

/// The entry of a link in the set.
fn entry(token: &Token) -> Option<String> {
    Some(format!("{:010}#{}", token.expires_at()?.seconds(), token.hash()))
}
