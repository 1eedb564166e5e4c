//! The members of the answer. Times are in the format of RFC 3339, in UTC.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use shared::account::KnownBrowser;
use shared::account::avatar::Avatars;
use shared::store::{Activity, Backup, FormerEmail, Held, StoredEntry, StoredPasskey, StoredSession};
use shared::system::clock::Timestamp;
use shared::{BrowserName, Token};

/// A member of the answer: its name and its text.
pub(crate) type Member = (&'static str, Box<RawValue>);

/// The parts of the answer that every page has, as they are at the time of the request.
pub(crate) struct Shown<'a> {
    account: ShownAccount<'a>,
    sessions: Vec<ShownSession<'a>>,
    browsers: Vec<ShownBrowser<'a>>,
    passkeys: Vec<ShownPasskey<'a>>,
    activity: &'a [Activity],
}

#[derive(Serialize)]
pub(crate) struct ShownAccount<'a> {
    id: u64,
    email: &'a str,
    email_verified: bool,
    name: &'a str,
    name_proved: bool,
    url_image: String,
    accept_news: u8,
    news_changed_at: Option<String>,
    terms_accepted_at: Option<String>,
    terms_version: Option<&'a str>,
    password_set_at: Option<String>,
    google_subject: Option<&'a str>,
    created_at: Option<String>,
    disabled_at: Option<String>,
    locked_at: Option<String>,
    exported_at: Option<String>,
    handed_over_at: Option<String>,
    browsers_known_since: Option<String>,
    passkey_user_handle: Option<&'a str>,
    credentials_changed_by: Option<&'a str>,
    reset_link_expires_at: Option<String>,
    verification_link_expires_at: Option<String>,
    new_email: Option<&'a str>,
    email_change_expires_at: Option<String>,
    former_emails: Vec<ShownFormerEmail<'a>>,
    failed_logins: Vec<String>,
    generation: u64,
    import_run: Option<&'a str>,
    import_generation: Option<u64>,
}

/// An address that the account has left.
#[derive(Serialize)]
pub(crate) struct ShownFormerEmail<'a> {
    email: &'a str,
    left_at: String,
}

#[derive(Serialize)]
pub(crate) struct ShownSession<'a> {
    id: &'a str,
    created_at: String,
    last_seen_at: String,
    expires_at: String,
    browser: &'a str,
    method: Option<&'a str>,
    generation: u64,
    current: bool,
}

/// A browser that has logged in to the account before.
#[derive(Serialize)]
pub(crate) struct ShownBrowser<'a> {
    name: &'a str,
    created_at: String,
}

/// A passkey. The id of its credential and its key are in base64url.
#[derive(Serialize)]
pub(crate) struct ShownPasskey<'a> {
    id: &'a str,
    name: &'a str,
    credential: String,
    public_key: String,
    counter: u32,
    backup: Backup,
    transports: &'a [String],
    created_at: String,
    last_used_at: Option<String>,
}

/// An entry. The text is a JSON string, so that no parser changes its numbers, members or order.
#[derive(Serialize)]
pub(crate) struct ShownEntry<'a> {
    id: &'a str,
    received_at: String,
    body: &'a str,
    /// Whether it was stored before anybody had proved the address, maybe by a stranger.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    before_proof: bool,
}

impl<'a> Shown<'a> {
    pub(crate) fn of(held: &'a Held, token: &Token, avatars: &Avatars) -> Self {
        let (profile, account) = (&held.profile, &held.profile.account);
        let imported = profile.imported.as_ref();
        let shown = ShownAccount {
            id: account.id,
            email: account.email.as_str(),
            email_verified: account.email_verified,
            name: &account.name,
            name_proved: account.is_name_proved,
            url_image: avatars.url(&account.avatar),
            accept_news: u8::from(account.accept_news),
            news_changed_at: account.consent.news_changed_at.map(time),
            terms_accepted_at: account.consent.terms_accepted_at.map(time),
            terms_version: account.consent.terms_version.as_deref(),
            password_set_at: account.password_set_at.map(time),
            google_subject: account.google_sub.as_deref(),
            created_at: Some(profile.created_at).filter(|seconds| *seconds > 0).map(time),
            disabled_at: account.disabled_at.map(time),
            locked_at: account.locked_at.map(precise_time),
            exported_at: account.exported_at.map(precise_time),
            handed_over_at: profile.proved_at.filter(|seconds| *seconds > 0).map(time),
            browsers_known_since: account.browsers_since.map(time),
            passkey_user_handle: account.passkey_user.as_deref(),
            credentials_changed_by: account.credentials_changed_by.as_ref().map(BrowserName::as_str),
            reset_link_expires_at: profile.reset_expires_at.map(time),
            verification_link_expires_at: profile.verify_expires_at.map(time),
            new_email: profile.change.as_ref().map(|change| change.email.as_str()),
            email_change_expires_at: profile.change.as_ref().map(|change| time(change.expires_at)),
            former_emails: profile.former_emails.iter().map(ShownFormerEmail::of).collect(),
            failed_logins: held.failed_logins.iter().copied().map(precise_time).collect(),
            generation: account.generation,
            import_run: imported.map(|imported| imported.run.as_str()),
            import_generation: imported.map(|imported| imported.generation),
        };
        Self {
            account: shown,
            sessions: held.sessions.iter().map(|session| ShownSession::of(session, token)).collect(),
            browsers: account.browsers.iter().map(ShownBrowser::of).collect(),
            passkeys: held.passkeys.iter().map(ShownPasskey::of).collect(),
            activity: &held.activity,
        }
    }

    /// The members of the answer, in their order.
    pub(crate) fn members(&self) -> serde_json::Result<[Member; 5]> {
        Ok([
            ("account", to_raw_value(&self.account)?),
            ("sessions", to_raw_value(&self.sessions)?),
            ("browsers", to_raw_value(&self.browsers)?),
            ("passkeys", to_raw_value(&self.passkeys)?),
            ("activity", to_raw_value(self.activity)?),
        ])
    }
}

impl<'a> ShownFormerEmail<'a> {
    fn of(former: &'a FormerEmail) -> Self {
        Self { email: &former.email, left_at: precise_time(former.left_at) }
    }
}

impl<'a> ShownSession<'a> {
    fn of(session: &'a StoredSession, token: &Token) -> Self {
        Self {
            id: session.id(),
            created_at: time(session.created_at),
            last_seen_at: time(session.last_seen),
            expires_at: time(session.expires_at),
            browser: session.browser_name(),
            method: session.method.as_deref(),
            generation: session.generation,
            current: session.is_of(token),
        }
    }
}

impl<'a> ShownBrowser<'a> {
    fn of(browser: &'a KnownBrowser) -> Self {
        Self { name: browser.name.as_str(), created_at: time(browser.created_at) }
    }
}

impl<'a> ShownPasskey<'a> {
    fn of(passkey: &'a StoredPasskey) -> Self {
        Self {
            id: &passkey.id,
            name: &passkey.name,
            credential: URL_SAFE_NO_PAD.encode(&passkey.credential),
            public_key: URL_SAFE_NO_PAD.encode(&passkey.public_key),
            counter: passkey.counter,
            backup: passkey.backup,
            transports: &passkey.transports,
            created_at: time(passkey.created_at),
            last_used_at: passkey.last_used_at.map(time),
        }
    }
}

impl<'a> ShownEntry<'a> {
    /// An entry of an account whose address was first proved at this time, in seconds since 1970.
    pub(crate) fn of(entry: &'a StoredEntry, proved_at: Option<u64>) -> Self {
        let before_proof = proved_at.is_some_and(|seconds| entry.received_at < seconds.saturating_mul(1000));
        Self { before_proof, ..Self::new(&entry.id, entry.received_at, &entry.body) }
    }

    /// An entry with this id and text, received this many milliseconds after 1970.
    pub(crate) fn new(id: &'a str, received_at: u64, body: &'a str) -> Self {
        Self { id, received_at: precise_time(received_at), body, before_proof: false }
    }
}

/// A time in seconds since 1970.
fn time(seconds: u64) -> String {
    Timestamp::from_seconds(seconds).to_rfc3339()
}

/// A time in milliseconds since 1970.
fn precise_time(milliseconds: u64) -> String {
    Timestamp::from_milliseconds(milliseconds).to_rfc3339()
}
