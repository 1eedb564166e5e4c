//! An account that was erased by mistake, and comes back from a restored copy of the table.

use super::Operator;
use crate::Fault;
use crate::account::AccountKey;
use crate::store::items::profile::{
    self, CHANGE, FORMER_EMAILS, LOCK_LINKS, PROFILE, Profile, RESET_TOKEN, VERIFY_TOKEN,
};
use crate::store::items::{address, identity, passkey};
use crate::store::partition::all_items;
use crate::store::table::{Guard, Item, Write, n, number, text};

/// An account as a copy of the table has it.
pub struct Copied {
    /// Its profile.
    pub profile: Profile,
    item: Item,
    /// The rows of its passkeys.
    passkeys: Vec<Item>,
}

impl Copied {
    /// How many passkeys come back.
    pub fn passkeys(&self) -> usize {
        self.passkeys.len()
    }
}

/// The outcome of a restoration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PutBack {
    /// The account is back.
    Done,
    /// The account exists.
    Exists,
    /// Another account has the address, or the key of the account.
    AddressTaken,
    /// The Google identity is linked to another account.
    IdentityTaken,
    /// A passkey belongs to another account.
    PasskeyTaken,
}

impl Operator {
    /// The account with this key, as this table has it. Returns `None` if there is none.
    pub async fn copy(&self, key: &AccountKey) -> Result<Option<Copied>, Fault> {
        let mut items = all_items(&self.table, key).await?;
        let place = items.iter().position(|item| text(item, "sk") == Some(PROFILE));
        let Some(item) = place.map(|place| items.remove(place)) else { return Ok(None) };
        let profile = profile::read(item.clone())?;
        let account = &profile.account;
        // A row of an earlier account of the address is not the account's.
        items.retain(|item| passkey_of(item).is_some_and(|id| account.passkeys.contains(id)));
        items.retain(|item| number(item, "id") == Some(account.id));
        Ok(Some(Copied { profile, item, passkeys: items }))
    }

    /// Puts an account back: its profile, its address, the link of its identity and its passkeys, in one transaction, which
    /// requires that nobody else has any of them. Its sessions and the links that were mailed do not come back.
    pub async fn put_back(&self, copied: &Copied) -> Result<PutBack, Fault> {
        let account = &copied.profile.account;
        let mut item = copied.item.clone();
        let links = [RESET_TOKEN, VERIFY_TOKEN, CHANGE, &[LOCK_LINKS, FORMER_EMAILS, "nonce"]];
        for name in links.into_iter().flatten() {
            item.remove(*name);
        }
        // A row of a session may be left in the table. The account may have had more generations since the copy, but not one a second
        // since 1970.
        item.insert("generation".to_owned(), n(account.generation.max(self.table.now().seconds()) + 1));
        let mut writes = vec![Write::put(item).when(Guard::absent())];
        writes.extend(address::claim(&account.email, &account.key)?);
        let addresses = writes.len();
        if let Some(sub) = &account.google_sub {
            writes.push(identity::insert(sub, &account.key)?);
        }
        let identities = writes.len();
        for row in &copied.passkeys {
            writes.push(Write::put(row.clone()).when(Guard::absent()));
            let id = passkey_of(row).unwrap_or_default();
            writes.push(passkey::insert_pointer(id, &account.key)?);
        }
        Ok(match self.table.transact(writes).await? {
            Ok(()) => PutBack::Done,
            Err(refused) if refused.index == 0 => {
                let is_same = refused.item.is_some_and(|found| number(&found, "id") == Some(account.id));
                if is_same { PutBack::Exists } else { PutBack::AddressTaken }
            }
            Err(refused) if refused.index < addresses => PutBack::AddressTaken,
            Err(refused) if refused.index < identities => PutBack::IdentityTaken,
            Err(_) => PutBack::PasskeyTaken,
        })
    }
}

/// The id of the passkey in a row.
fn passkey_of(row: &Item) -> Option<&str> {
    text(row, "sk").and_then(|sk| sk.strip_prefix(passkey::PREFIX))
}
