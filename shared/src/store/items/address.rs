//! The addresses that an account has left, which its profile has, and the pointer from an address to its account: `profile#address` under the key of the address. Only an account whose
//! address has changed, or that was created with an address that another account had left, has one. All others are under
//! the key of their address. The pointer comes right after a profile in the order of sort keys, so that a login reads
//! both at once.

use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};

use super::profile;
use crate::account::{Account, AccountKey};
use crate::store::table::{self, Guard, Item, Key, Write, key, s, text};
use crate::{Email, Fault};

pub(in crate::store) const ADDRESS: &str = "profile#address";

#[derive(Serialize, Deserialize)]
struct Row {
    pk: AccountKey,
    sk: String,
    account: AccountKey,
}

/// An address that an account has left.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FormerEmail {
    /// When, in milliseconds since 1970.
    pub left_at: u64,
    /// Whether somebody had proved it.
    pub(in crate::store) is_verified: bool,
    /// The address, in its normal form.
    pub email: String,
}

impl FormerEmail {
    /// The text in the set: time, whether it is verified, and address.
    fn text(&self) -> String {
        format!("{}#{}#{}", self.left_at, u8::from(self.is_verified), self.email)
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        let (left_at, rest) = text.split_once('#')?;
        let (is_verified, email) = rest.split_once('#')?;
        let (left_at, email) = (left_at.parse().ok()?, Email::parse(email).ok()?.as_str().to_owned());
        Some(Self { left_at, is_verified: is_verified == "1", email })
    }
}

/// The attribute of these addresses. A set must not be empty.
pub(in crate::store) fn former_emails(addresses: &[FormerEmail]) -> AttributeValue {
    AttributeValue::Ss(addresses.iter().map(FormerEmail::text).collect())
}

pub(in crate::store) fn key_of(email: &Email) -> Key {
    key(AccountKey::of(email).as_str(), ADDRESS)
}

/// Whether an item is a pointer.
pub(in crate::store) fn is_here(item: &Item) -> bool {
    text(item, "sk") == Some(ADDRESS)
}

/// The key of the account that a pointer names.
pub(in crate::store) fn account_of(pointer: Item) -> Result<AccountKey, Fault> {
    Ok(table::read::<Row>(pointer)?.account)
}

/// Whether an item is the profile of an account that has another address, and so has left this one.
pub(in crate::store) fn is_left_by(item: &Item, email: &Email) -> bool {
    text(item, "email").is_some_and(|other| other != email.as_str())
}

/// The writes after which an address names the account with this key. They are refused if it names another one, or if
/// the account has the address already.
pub(in crate::store) fn claim(email: &Email, account: &AccountKey) -> Result<Vec<Write>, Fault> {
    if AccountKey::of(email) == *account {
        return Ok(vec![Write::check(key_of(email), Guard::absent())]);
    }
    Ok(vec![put(email, account)?.when(Guard::absent()), check_left(email)])
}

/// The writes after which an account has another address instead of its own.
pub(in crate::store) fn move_to(email: &Email, account: &Account) -> Result<Vec<Write>, Fault> {
    Ok(release(&account.email, &account.key).into_iter().chain(claim(email, &account.key)?).collect())
}

/// As [`claim`], in a transaction that deletes the account with the key `from`, which the address names.
pub(in crate::store) fn take(email: &Email, account: &AccountKey, from: &AccountKey) -> Result<Vec<Write>, Fault> {
    let home = AccountKey::of(email);
    let is_from = || Guard::Equals("account", s(from.as_str()));
    if home == *account {
        return Ok(vec![Write::delete(key_of(email)).when(is_from())]);
    }
    if home == *from {
        return Ok(vec![put(email, account)?.when(Guard::absent())]);
    }
    Ok(vec![put(email, account)?.when(is_from()), check_left(email)])
}

/// The write after which an address does not name the account with this key; `None` if there is no pointer to delete.
pub(in crate::store) fn release(email: &Email, account: &AccountKey) -> Option<Write> {
    let is_own = Guard::Any(vec![Guard::absent(), Guard::Equals("account", s(account.as_str()))]);
    (AccountKey::of(email) != *account).then(|| Write::delete(key_of(email)).when(is_own))
}

fn put(email: &Email, account: &AccountKey) -> Result<Write, Fault> {
    let row = Row { pk: AccountKey::of(email), sk: ADDRESS.to_owned(), account: account.clone() };
    Ok(Write::put(table::item(&row)?))
}

/// Checks that no account is under the key of an address, or that it has another address.
fn check_left(email: &Email) -> Write {
    let is_left = Guard::Any(vec![Guard::absent(), Guard::Differs("email", s(email.as_str()))]);
    Write::check(profile::key_of(&AccountKey::of(email)), is_left)
}
