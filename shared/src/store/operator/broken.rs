//! Accounts whose profile cannot be read: what is wrong with them, and their erasure.

use super::Operator;
use crate::account::{Account, AccountKey};
use crate::store::items::profile::{self, Profile};
use crate::store::items::{address, identity, passkey};
use crate::store::partition::PAGE_MAX;
use crate::store::table::{Guard, Item, Start, TRANSACTION_MAX, Write, broken, key, number, s, text};
use crate::{Email, Fault};

/// An account whose profile cannot be read.
pub struct Broken {
    /// The partition key.
    pub key: AccountKey,
    /// Its id, if that can be read.
    pub id: Option<u64>,
    /// What is wrong, with the names of attributes and without their values.
    pub reason: String,
    profile: Item,
    /// The other items of its partition.
    others: Vec<Item>,
}

impl Operator {
    /// The account with this key, if there is one and its profile cannot be read.
    pub async fn broken(&self, key: &AccountKey) -> Result<Option<Broken>, Fault> {
        let (mut others, mut start) = (Vec::new(), Some(Start::First));
        while let Some(from) = start {
            let page = self.table.page(key.as_str(), from, PAGE_MAX).await?;
            others.extend(page.items);
            start = page.last.map(Start::After);
        }
        let place = others.iter().position(|item| text(item, "sk") == Some(profile::PROFILE));
        let Some(profile) = place.map(|place| others.remove(place)) else { return Ok(None) };
        let Some(reason) = reason(&profile)? else { return Ok(None) };
        Ok(Some(Broken { key: key.clone(), id: number(&profile, "id"), reason, profile, others }))
    }

    /// Deletes a broken account and everything that belongs to it, as far as its rows can be read. If it fails halfway, a retry
    /// completes it. Returns false if its profile has changed since it was read; then it deletes nothing more.
    pub async fn erase_broken(&self, broken: &Broken) -> Result<bool, Fault> {
        let Broken { key: account, profile, others, .. } = broken;
        let pk = account.as_str();
        // A pointer here is that of another account, which has the address that this one has left.
        let own = || others.iter().filter(|item| !address::is_here(item));
        let sort_keys = || own().filter_map(|item| text(item, "sk"));
        let is_own = || Guard::Any(vec![Guard::absent(), Guard::Equals("account", s(pk))]);
        let named = profile.get("passkeys").and_then(|passkeys| passkeys.as_ss().ok()).into_iter().flatten();
        let passkeys = sort_keys().filter_map(|sk| sk.strip_prefix(passkey::PREFIX)).chain(named.map(String::as_str));
        let pointers = passkeys.map(|id| Write::delete(passkey::pointer_key(id)).when(is_own()));
        let identity = text(profile, "google_sub").map(|sub| identity::delete(sub, account));
        let email = text(profile, "email").and_then(|email| Email::parse(email).ok());
        let address = email.and_then(|email| address::release(&email, account));
        // Each write changes the nonce or, in a transaction, one of the others. A new account of the address has another id.
        let is_as_read = ["id", "generation", "nonce"]
            .into_iter()
            .fold(Guard::exists(), |guard, name| guard.and(Guard::still(name, profile.get(name).cloned())));
        let check = || Write::check(profile::key_of(account), is_as_read.clone());
        for elsewhere in pointers.chain(identity).chain(address) {
            match self.table.transact(vec![check(), elsewhere]).await? {
                Err(refused) if refused.index == 0 => return Ok(false),
                // If the second guard fails, the row belongs to another account.
                Ok(()) | Err(_) => {}
            }
        }
        let keys: Vec<&str> = sort_keys().collect();
        for some in keys.chunks(TRANSACTION_MAX - 1) {
            let deletions = some.iter().map(|sk| Write::delete(key(pk, sk)));
            if self.table.transact(std::iter::once(check()).chain(deletions).collect()).await?.is_err() {
                return Ok(false);
            }
        }
        Ok(self.table.write(Write::delete(profile::key_of(account)).when(is_as_read)).await?.is_ok())
    }
}

/// What is wrong with a profile; `None` if it can be read.
fn reason(found: &Item) -> Result<Option<String>, Fault> {
    let cannot_be_read = |item: &Item| matches!(profile::read(item.clone()), Err(fault) if fault == broken());
    if profile::read(found.clone()).is_ok() {
        return Ok(None);
    }
    let email = Email::parse("nobody@example.com").map_err(|_| broken())?;
    // Each attribute is tried in a sound profile.
    let sound = Profile::new(Account::new(1, email, String::new()), 0).item()?;
    let is_culprit = |name: &str| {
        let mut tried = sound.clone();
        match found.get(name) {
            Some(value) => drop(tried.insert(name.to_owned(), value.clone())),
            None => drop(tried.remove(name)),
        }
        cannot_be_read(&tried)
    };
    let mut names: Vec<&String> = found.keys().chain(sound.keys()).filter(|name| is_culprit(name)).collect();
    names.sort_unstable();
    names.dedup();
    let said = |name: &String| {
        format!("{name} {}", if found.contains_key(name) { "is of another type" } else { "is missing" })
    };
    Ok(Some(if names.is_empty() {
        "several attributes together".to_owned()
    } else {
        names.into_iter().map(said).collect::<Vec<_>>().join(", ")
    }))
}
