//! A challenge that a passkey has to sign: `challenge#<challenge>` / `challenge`.
//!
//! A challenge is not a secret: the browser gets it, and only an authenticator can answer it. It is therefore the key
//! of its row.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use crate::Fault;
use crate::account::{Account, AccountKey, Token};
use crate::store::table::{self, Guard, Item, Key, Write, broken, key, n};
use crate::system::clock::Timestamp;

pub(in crate::store) const PREFIX: &str = "challenge#";
pub(in crate::store) const CHALLENGE: &str = "challenge";
/// How long a challenge can be answered: five minutes, in seconds.
const LIFETIME_SECONDS: u64 = 5 * 60;

/// What a challenge was issued for.
#[derive(Clone, Copy)]
pub enum Purpose<'a> {
    /// A login, whose account is not known yet.
    Login,
    /// A new passkey of this account, in the session of this token.
    Registration(&'a Account, &'a Token),
}

#[derive(Serialize, Deserialize)]
pub(in crate::store) struct Row {
    /// What the library needs to verify the answer.
    state: String,
    /// The key and the id of the account that the new passkey is for, and the hash of the session's token; `None` for a
    /// login.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    account: Option<(AccountKey, u64, String)>,
    expires_at: u64,
}

impl Purpose<'_> {
    fn account(self) -> Option<(AccountKey, u64, String)> {
        match self {
            Self::Login => None,
            Self::Registration(account, session) => Some((account.key.clone(), account.id, session.hash())),
        }
    }
}

pub(in crate::store) fn key_of(challenge: &str) -> Key {
    key(&format!("{PREFIX}{challenge}"), CHALLENGE)
}

/// Puts a new challenge.
pub(in crate::store) fn insert(
    challenge: &str,
    state: &[u8],
    purpose: Purpose<'_>,
    now: Timestamp,
) -> Result<Write, Fault> {
    let row = Row {
        state: URL_SAFE_NO_PAD.encode(state),
        account: purpose.account(),
        expires_at: now.seconds() + LIFETIME_SECONDS,
    };
    let mut item = table::item(&row)?;
    item.extend(key_of(challenge));
    Ok(Write::put(item).when(Guard::absent()))
}

/// The state that a challenge was issued with; `None` if it was issued for another purpose, or has expired. TTL deletes
/// expired rows late, so the time is checked here.
pub(in crate::store) fn state(item: Item, purpose: Purpose<'_>, now: Timestamp) -> Result<Option<Vec<u8>>, Fault> {
    let row: Row = table::read(item)?;
    if row.account != purpose.account() || now.seconds() >= row.expires_at {
        return Ok(None);
    }
    URL_SAFE_NO_PAD.decode(row.state).map(Some).map_err(|_| broken())
}

/// Consumes a challenge that was not used before and has not expired.
pub(in crate::store) fn consume(challenge: &str, now: Timestamp) -> Write {
    Write::delete(key_of(challenge)).when(Guard::Above("expires_at", n(now.seconds())))
}
