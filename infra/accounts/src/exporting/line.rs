//! The lines of an export.

use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format;
use serde::Serialize;
use shared::account::avatar::Avatars;
use shared::password::StoredHash;
use shared::store::StoredEntry;
use shared::store::operator::Profile;

/// The line of an account.
#[derive(Serialize)]
pub(crate) struct Line<'a> {
    pub(crate) id: u64,
    email: &'a str,
    name: &'a str,
    url_image: String,
    accept_news: u8,
    news_changed_at: Option<String>,
    terms_accepted_at: Option<String>,
    terms_version: Option<&'a str>,
    #[serde(skip_serializing_if = "Hash::is_left_out")]
    password: Hash<'a>,
    google_sub: Option<&'a str>,
    email_verified: u8,
    created_at: Option<String>,
    disabled_at: Option<String>,
    generation: u64,
}

/// The hash of a password.
#[derive(Serialize)]
#[serde(untagged)]
enum Hash<'a> {
    /// The export has no hashes.
    LeftOut,
    /// `null` for an account without a password.
    Of(Option<&'a str>),
}

impl Hash<'_> {
    fn is_left_out(&self) -> bool {
        matches!(self, Self::LeftOut)
    }
}

impl<'a> Line<'a> {
    pub(crate) fn of(profile: &'a Profile, avatars: &Avatars, with_hash: bool) -> Self {
        let account = &profile.account;
        Self {
            id: account.id,
            email: account.email.as_str(),
            name: &account.name,
            url_image: avatars.url(&account.avatar),
            accept_news: u8::from(account.accept_news),
            news_changed_at: account.consent.news_changed_at.and_then(rfc3339),
            terms_accepted_at: account.consent.terms_accepted_at.and_then(rfc3339),
            terms_version: account.consent.terms_version.as_deref(),
            password: if with_hash { Hash::Of(account.password.hash().map(StoredHash::as_str)) } else { Hash::LeftOut },
            google_sub: account.google_sub.as_deref(),
            email_verified: u8::from(account.email_verified),
            created_at: (profile.created_at > 0).then(|| rfc3339(profile.created_at)).flatten(),
            disabled_at: account.disabled_at.and_then(rfc3339),
            generation: account.generation,
        }
    }

    /// The line of an export. Its times are in UTC, in the form that MySQL and MariaDB also read in their strict modes.
    pub(super) fn exported(profile: &'a Profile, avatars: &Avatars, with_hash: bool) -> Self {
        let line = Self::of(profile, avatars, with_hash);
        let sql = |time: Option<String>| time.map(|time| time.replace('T', " ").replace('Z', ""));
        Self {
            news_changed_at: sql(line.news_changed_at),
            terms_accepted_at: sql(line.terms_accepted_at),
            created_at: sql(line.created_at),
            disabled_at: sql(line.disabled_at),
            ..line
        }
    }
}

/// A time in RFC 3339, in UTC.
pub(crate) fn rfc3339(seconds: u64) -> Option<String> {
    DateTime::from_secs(i64::try_from(seconds).ok()?).fmt(Format::DateTime).ok()
}

/// The line of a received entry.
#[derive(Serialize)]
pub(crate) struct Entry<'a> {
    id: &'a str,
    /// In milliseconds since 1970, as it is stored.
    received_at: u64,
    request: &'a str,
    index: u64,
    /// The id of the account that it belongs to.
    account: Option<u64>,
    /// The text as it was received.
    body: &'a str,
}

impl<'a> Entry<'a> {
    pub(crate) fn of(entry: &'a StoredEntry) -> Self {
        let StoredEntry { id, received_at, request, index, account, body } = entry;
        Self { id, received_at: *received_at, request, index: *index, account: *account, body }
    }
}
