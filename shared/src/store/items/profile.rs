//! The item of an account: `profile` in the account's partition.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};

use crate::account::avatar::Avatar;
use crate::account::{Account, AccountKey, Consent, KnownBrowser};
use crate::password::{StoredHash, StoredPassword};
use crate::store::items::address::FormerEmail;
use crate::store::table::{self, Guard, Item, Key, Update, Write, key, n, s};
use crate::system::clock::Timestamp;
use crate::{BrowserName, Email, Fault};

pub(in crate::store) const PROFILE: &str = "profile";

/// The links of notices that are live.
pub(in crate::store) const LOCK_LINKS: &str = "lock_links";
/// All attributes of a reset token.
pub(in crate::store) const RESET_TOKEN: &[&str] = &["reset_hash", "reset_expires_at", "reset_words"];
/// All attributes of a verification token.
pub(in crate::store) const VERIFY_TOKEN: &[&str] = &["verify_hash", "verify_expires_at"];
/// All attributes of a change of address that waits for its confirmation.
pub(in crate::store) const CHANGE: &[&str] =
    &["change_hash", "change_expires_at", "change_email", "change_generation", "change_session"];
/// The addresses that the account has left.
pub(in crate::store) const FORMER_EMAILS: &str = "former_emails";
/// What operators see of a password who may not read its hash: the format of the hash, or that there is none.
pub(in crate::store) const PASSWORD_FORMAT: &str = "password_format";
/// All attributes of passkeys.
pub(in crate::store) const ALL_PASSKEYS: &[&str] = &["passkeys", "passkey_user"];
/// An account with what else its item holds, except hashes and nonces. Times are in seconds since 1970.
#[derive(Clone)]
pub struct Profile {
    /// The account.
    pub account: Account,
    /// When it was created; 0 if unknown.
    pub created_at: u64,
    /// When the last reset token expires or expired.
    pub reset_expires_at: Option<u64>,
    /// When the last verification token expires or expired.
    pub verify_expires_at: Option<u64>,
    /// When somebody first proved the address, which handed the account over to them; `None` or 0 if it was not handed
    /// over, because the address was proved from the first day on, or is not proved.
    pub proved_at: Option<u64>,
    /// The change of its address that waits for its confirmation, live or not.
    pub change: Option<EmailChange>,
    /// The addresses that it has left, the earliest first.
    pub former_emails: Vec<FormerEmail>,
    /// What its imports stored about themselves; `None` if no import created it.
    pub imported: Option<Imported>,
}

impl Profile {
    /// A new account, without tokens.
    pub fn new(account: Account, created_at: u64) -> Self {
        Self {
            account,
            created_at,
            reset_expires_at: None,
            verify_expires_at: None,
            proved_at: None,
            change: None,
            former_emails: Vec::new(),
            imported: None,
        }
    }

    /// The profile in an item.
    pub fn read(item: Item) -> Result<Self, Fault> {
        read(item)
    }

    /// The item, without tokens.
    pub(in crate::store) fn item(&self) -> Result<Item, Fault> {
        let account = self.account.clone();
        table::item(&Row {
            pk: account.key,
            sk: PROFILE.to_owned(),
            id: account.id,
            profile_id: Some(account.id),
            email: account.email,
            name: account.name,
            name_proved: account.is_name_proved,
            url_image: account.avatar,
            accept_news: u8::from(account.accept_news),
            terms_accepted_at: account.consent.terms_accepted_at,
            terms_version: account.consent.terms_version,
            news_changed_at: account.consent.news_changed_at,
            password: account.password.hash().cloned(),
            password_format: recorded(&account.password)?,
            password_set_at: account.password_set_at,
            google_sub: account.google_sub,
            email_verified: account.email_verified,
            generation: account.generation,
            browsers: account.browsers,
            browsers_since: account.browsers_since,
            passkeys: account.passkeys,
            passkey_user: account.passkey_user,
            credentials_changed_by: account.credentials_changed_by,
            disabled_at: account.disabled_at,
            locked_at: account.locked_at,
            exported_at: account.exported_at,
            created_at: self.created_at,
            proved_at: None,
            reset_expires_at: None,
            verify_expires_at: None,
            change_hash: None,
            change_expires_at: 0,
            change_email: None,
            change_generation: 0,
            change_session: String::new(),
            former_emails: BTreeSet::new(),
            import_run: self.imported.as_ref().map(|imported| imported.run.clone()),
            import_digest: self.imported.as_ref().and_then(|imported| imported.digest.clone()),
            import_generation: self.imported.as_ref().map(|imported| imported.generation),
        })
    }
}

/// What an import stores in a profile about itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Imported {
    /// The run that created the account. An update keeps it.
    pub run: String,
    /// The digest of what was imported last, if it was read: it covers the hash of the password.
    pub digest: Option<String>,
    /// The account's generation after the last import.
    pub generation: u64,
}

/// A change of address that waits for its confirmation.
#[derive(Clone)]
pub struct EmailChange {
    /// The new address.
    pub email: Email,
    /// When the link expires or expired, in seconds since 1970.
    pub expires_at: u64,
    pub(in crate::store) hash: String,
    pub(in crate::store) generation: u64,
    /// The sort key of the session that asked for it.
    pub(in crate::store) session: String,
}

/// What the item says of a password. An item cannot be written from an account whose hash was not read.
fn recorded(password: &StoredPassword) -> Result<Option<String>, Fault> {
    match password {
        StoredPassword::Unread(_) => Err(Fault::new("table.row", "the hash was not read")),
        StoredPassword::Unrecorded => Ok(None),
        known => Ok(Some(known.format_name().to_owned())),
    }
}

/// The item. No endpoint changes the attributes of an import, nor `created_at`.
#[derive(Serialize, Deserialize)]
pub(in crate::store) struct Row {
    pk: AccountKey,
    sk: String,
    id: u64,
    /// The id again, as the key of the index `profiles`. Only profiles have this attribute.
    #[serde(default)]
    profile_id: Option<u64>,
    email: Email,
    name: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    name_proved: bool,
    url_image: Avatar,
    accept_news: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    terms_accepted_at: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    terms_version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    news_changed_at: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    password: Option<StoredHash>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    password_format: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    password_set_at: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    google_sub: Option<String>,
    email_verified: bool,
    generation: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    browsers: Vec<KnownBrowser>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    browsers_since: Option<u64>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty", with = "serde_dynamo::string_set")]
    passkeys: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    passkey_user: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    credentials_changed_by: Option<BrowserName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    disabled_at: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    locked_at: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exported_at: Option<u64>,
    #[serde(default)]
    created_at: u64,
    #[serde(default, skip_serializing)]
    proved_at: Option<u64>,
    #[serde(default, skip_serializing)]
    reset_expires_at: Option<u64>,
    #[serde(default, skip_serializing)]
    verify_expires_at: Option<u64>,
    #[serde(default, skip_serializing)]
    change_hash: Option<String>,
    #[serde(default, skip_serializing)]
    change_expires_at: u64,
    #[serde(default, skip_serializing)]
    change_email: Option<Email>,
    #[serde(default, skip_serializing)]
    change_generation: u64,
    #[serde(default, skip_serializing)]
    change_session: String,
    #[serde(default, skip_serializing, with = "serde_dynamo::string_set")]
    former_emails: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    import_run: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    import_digest: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    import_generation: Option<u64>,
}

impl Row {
    fn into_profile(self) -> Profile {
        let mut account = Account::new(self.id, self.email, self.name);
        // The key is that of the first address. Whoever looks an account up by its address compares the address.
        account.key = self.pk;
        account.avatar = self.url_image;
        account.accept_news = self.accept_news == 1;
        account.consent = Consent {
            terms_accepted_at: self.terms_accepted_at,
            terms_version: self.terms_version,
            news_changed_at: self.news_changed_at,
        };
        account.is_name_proved = self.name_proved;
        account.password = StoredPassword::read(self.password, self.password_format.as_deref());
        account.password_set_at = self.password_set_at;
        account.google_sub = self.google_sub;
        account.email_verified = self.email_verified;
        account.generation = self.generation;
        account.browsers = self.browsers;
        account.browsers_since = self.browsers_since;
        account.passkeys = self.passkeys;
        account.passkey_user = self.passkey_user;
        account.credentials_changed_by = self.credentials_changed_by;
        account.disabled_at = self.disabled_at;
        account.locked_at = self.locked_at;
        account.exported_at = self.exported_at;
        Profile {
            account,
            created_at: self.created_at,
            reset_expires_at: self.reset_expires_at,
            verify_expires_at: self.verify_expires_at,
            proved_at: self.proved_at,
            change: self.change_email.zip(self.change_hash).map(|(email, hash)| EmailChange {
                email,
                expires_at: self.change_expires_at,
                hash,
                generation: self.change_generation,
                session: self.change_session,
            }),
            former_emails: {
                let mut former: Vec<_> = self.former_emails.iter().filter_map(|text| FormerEmail::read(text)).collect();
                former.sort();
                former
            },
            imported: self.import_run.zip(self.import_generation).map(|(run, generation)| Imported {
                run,
                digest: self.import_digest,
                generation,
            }),
        }
    }
}

pub(in crate::store) fn key_of(account: &AccountKey) -> Key {
    key(account.as_str(), PROFILE)
}

/// The profile in an item, from the table or from its stream.
pub(in crate::store) fn read(item: impl Into<serde_dynamo::Item>) -> Result<Profile, Fault> {
    Ok(table::read::<Row>(item)?.into_profile())
}

/// The account in an item.
pub(in crate::store) fn account(item: impl Into<serde_dynamo::Item>) -> Result<Account, Fault> {
    Ok(read(item)?.account)
}

/// The account is still the one with this id.
pub(in crate::store) fn is_of(account: &Account) -> Guard {
    Guard::Equals("id", n(account.id))
}

/// The address is still as verified as when it was read.
pub(in crate::store) fn has_same_proof(account: &Account) -> Guard {
    Guard::Equals("email_verified", AttributeValue::Bool(account.email_verified))
}

/// The account still has the address that it had when it was read.
pub(in crate::store) fn has_same_email(account: &Account) -> Guard {
    Guard::Equals("email", s(account.email.as_str()))
}

/// The account is still the one that was read, and its sessions were not ended since. A new password ends them.
pub(in crate::store) fn is_unchanged(account: &Account) -> Guard {
    is_of(account).and(Guard::Equals("generation", n(account.generation)))
}

/// The account has the same passkeys as when it was read.
pub(in crate::store) fn has_same_passkeys(account: &Account) -> Guard {
    let read = (!account.passkeys.is_empty()).then(|| account.passkeys.iter().cloned().collect());
    Guard::still("passkeys", read.map(AttributeValue::Ss))
}

/// The account has the same identity as when it was read.
pub(in crate::store) fn has_same_identity(account: &Account) -> Guard {
    Guard::still("google_sub", account.google_sub.as_deref().map(s))
}

/// The account still has this password.
pub(in crate::store) fn has_password(hash: &StoredHash) -> Guard {
    Guard::Equals("password", s(hash.as_str()))
}

/// Adds to an update that the password has this hash.
pub(in crate::store) fn set_password(update: Update, hash: &StoredHash) -> Update {
    update.set("password", s(hash.as_str())).set(PASSWORD_FORMAT, s(hash.format_name()))
}

/// Adds to an update that there is no password.
pub(in crate::store) fn remove_password(update: Update) -> Update {
    update.remove(&["password"]).set(PASSWORD_FORMAT, s(StoredPassword::None.format_name()))
}

/// Adds to an update that somebody has proved the address for the first time. The ways in from before end with it. The
/// links that were mailed before do too.
pub(in crate::store) fn hand_over(update: Update, now: Timestamp) -> Update {
    let update = update.set("email_verified", AttributeValue::Bool(true)).remove(VERIFY_TOKEN);
    update.set_if_absent("proved_at", n(now.seconds()))
}

/// Adds to an update that the address is verified and that the account is not handed over by it.
pub(in crate::store) fn verify(update: Update) -> Update {
    not_handed_over(update).set("email_verified", AttributeValue::Bool(true))
}

/// Adds to an update that the next proof of the address is not the first one. A reset proves the address without reading
/// the account, so the issue of its token notes this.
pub(in crate::store) fn not_handed_over(update: Update) -> Update {
    update.set_if_absent("proved_at", n(0))
}

/// Ends every way in but the mailbox and the identity provider's: the sessions, the password, the passkeys (whose items
/// the same transaction deletes), the known browsers, and the links that were mailed.
pub(in crate::store) fn lock(now: Timestamp) -> Update {
    let update = Update::new().increase("generation", 1).set("locked_at", n(now.milliseconds()));
    remove_password(update)
        .remove(&["browsers", LOCK_LINKS, FORMER_EMAILS])
        .remove(ALL_PASSKEYS)
        .remove(VERIFY_TOKEN)
        .remove(CHANGE)
}

/// The account is not disabled.
pub(in crate::store) fn is_enabled() -> Guard {
    Guard::Without("disabled_at")
}

/// Updates an account that is still the one that was read, and whose sessions were not ended since.
pub(in crate::store) fn update(account: &Account, update: Update) -> Write {
    Write::update(key_of(&account.key), update).when(is_unchanged(account))
}

/// Checks that there is no account with this key.
#[cfg(feature = "operator")]
pub(in crate::store) fn check_absent(account: &str) -> Write {
    Write::check(key(account, PROFILE), Guard::absent())
}
