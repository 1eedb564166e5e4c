//! The export of everything in the partition of an account, except hashes and nonces, for its owner.

use serde::Deserialize;

use super::profile::PROFILE;
use crate::account::KnownBrowser;
use crate::store::login::attempts::is_count;
use crate::store::passkeys::{self, StoredPasskey};
use crate::store::sessions::{PARTITION_PAGE, PREFIX, Session, session_id, sort_key};
use crate::store::table::{self, Item, Start, Table};
use crate::{BrowserName, Fault, Setup};

/// What the accounts table holds of a person.
pub struct Held {
    /// The profile.
    pub profile: HeldProfile,
    /// The sessions, live or not, in the order of their logins.
    pub sessions: Vec<HeldSession>,
    /// The passkeys, in the order in which they were created.
    pub passkeys: Vec<StoredPasskey>,
    /// The times of the failed logins that are stored, in milliseconds since 1970.
    pub failed_logins: Vec<u64>,
}

/// The profile without its hashes. Times are in seconds since 1970.
#[derive(Deserialize)]
pub struct HeldProfile {
    /// The account's id.
    pub id: u64,
    /// The address.
    pub email: String,
    /// Whether the owner has verified the address.
    pub email_verified: bool,
    /// The owner's name.
    pub name: String,
    /// The avatar's URL.
    pub url_image: String,
    /// 1 if the owner subscribed to the newsletter, otherwise 0.
    pub accept_news: u8,
    /// The subject identifier of the linked Google identity.
    pub google_sub: Option<String>,
    /// When the account was created; 0 if an import did not know it, and `None` for accounts that are older than this
    /// attribute.
    pub created_at: Option<u64>,
    /// When an operator disabled the account.
    pub disabled_at: Option<u64>,
    /// The known browsers, in the order in which they became known.
    #[serde(default)]
    pub browsers: Vec<KnownBrowser>,
    /// The first login whose browser was stored.
    pub browsers_since: Option<u64>,
    /// The WebAuthn user handle.
    pub passkey_user: Option<String>,
    /// The browser that last changed the password, a passkey or the link to the identity provider.
    pub credentials_changed_by: Option<BrowserName>,
    /// When the last reset token expires or expired.
    pub reset_expires_at: Option<u64>,
    /// When the last verification token expires or expired.
    pub verify_expires_at: Option<u64>,
    /// A counter that increases whenever all sessions of the account end.
    pub generation: u64,
    /// The import that created the account.
    pub import_run: Option<String>,
    /// The generation of the account after its last import.
    pub import_generation: Option<u64>,
}

/// A session, live or not. Times are in seconds since 1970; a missing one is 0.
#[derive(Deserialize)]
pub struct HeldSession {
    sk: String,
    /// The id of its account.
    #[serde(default, rename = "id")]
    account_id: u64,
    /// When its owner signed in. A session that replaces another keeps this time.
    #[serde(default)]
    pub created_at: u64,
    /// Its last use, with a precision of ten minutes.
    #[serde(default)]
    pub last_seen: u64,
    /// When it expires or expired, unless it is used again.
    #[serde(default)]
    pub expires_at: u64,
    /// The generation of the account when it was opened.
    #[serde(default)]
    pub generation: u64,
    /// The name of its browser.
    #[serde(default)]
    pub browser: BrowserName,
    /// Whether it is the caller's own.
    #[serde(skip)]
    pub is_current: bool,
}

#[derive(Deserialize)]
struct Failures {
    times: Vec<u64>,
}

/// Reads what is stored of a person in the accounts table.
#[derive(Clone)]
pub struct Exports {
    table: Table,
}

impl Exports {
    /// Reads `ACCOUNTS_TABLE`.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        Self { table: Table::new(setup, "ACCOUNTS_TABLE") }
    }

    /// Everything in the partition of the caller's account. Returns `None` if the account was deleted after the session
    /// was checked.
    ///
    /// # Errors
    /// The table failed, or a row is broken.
    pub async fn held(&self, session: &Session) -> Result<Option<Held>, Fault> {
        let (account, own) = (&session.account, sort_key(&session.token));
        let (mut profile, mut sessions, mut passkeys, mut failed_logins) = (None, Vec::new(), Vec::new(), Vec::new());
        let mut start = Some(Start::First);
        while let Some(from) = start.take() {
            let page = self.table.page(account.key.as_str(), from, PARTITION_PAGE).await?;
            for item in page.items {
                match sort_key_of(&item) {
                    PROFILE => profile = Some(table::read::<HeldProfile>(item)?),
                    sk if is_count(sk) => failed_logins.extend(table::read::<Failures>(item)?.times),
                    sk if sk.starts_with(passkeys::PREFIX) => passkeys.extend(passkeys::held(item, account.id)?),
                    sk if sk.starts_with(PREFIX) => sessions.push(table::read::<HeldSession>(item)?),
                    _ => {}
                }
            }
            start = page.last.map(Start::After);
        }
        // A row of an earlier account of the same address is not the caller's.
        sessions.retain(|session| session.account_id == account.id);
        sessions.sort_by_key(|session| session.created_at);
        passkeys.sort_by_key(|passkey: &StoredPasskey| passkey.created_at);
        for session in &mut sessions {
            session.is_current = session.sk == own;
        }
        let profile = profile.filter(|profile| profile.id == account.id);
        Ok(profile.map(|profile| Held { profile, sessions, passkeys, failed_logins }))
    }
}

impl HeldSession {
    /// Its id in the list of sessions. It is not a secret.
    #[must_use]
    pub fn id(&self) -> &str {
        session_id(self.sk.strip_prefix(PREFIX).unwrap_or_default())
    }
}

fn sort_key_of(item: &Item) -> &str {
    item.get("sk").and_then(|sk| sk.as_s().ok()).map(String::as_str).unwrap_or_default()
}
