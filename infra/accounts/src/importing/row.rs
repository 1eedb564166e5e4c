//! Reads a row: gives an account that can be written, or the reasons to refuse the row.

use std::collections::HashMap;

use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format as DateFormat;
use shared::account::Consent;
use shared::account::avatar::Avatar;
use shared::password::legacy::{self, FastHash, SaltPlace};
use shared::password::{StoredHash, Unusable};
use shared::store::operator::Profile;
use shared::store::{ID_MAX, IMPORT_ID_MAX};
use shared::{Account, AccountKey, Email, FullName};

use super::fields::{Field, Row};
use super::report::Remark;

/// The longest subject identifier of Google, in characters (OpenID Connect Core, section 2).
const SUB_MAX: usize = 255;

/// The longest version of terms and conditions, in bytes.
const TERMS_VERSION_MAX: usize = 100;

/// How MySQL prints a time that is not set, in a column that cannot be NULL.
const NO_TIME: &str = "0000-00-00";

/// How rows are read.
pub(crate) struct Rules {
    /// Whether all addresses are proved or none; `None` if a column says it.
    pub(crate) proved: Option<bool>,
    pub(crate) symfony: bool,
    pub(crate) salt: Option<SaltPlace>,
    pub(crate) without_password_if_unknown: bool,
    /// Old avatars, and the new ones.
    pub(crate) avatar_map: HashMap<String, Avatar>,
}

/// The password of a row.
pub(crate) enum Secret {
    None,
    Stored(StoredHash),
    /// MD5 or SHA-1, which is hashed again before it is stored.
    Fast(FastHash),
}

/// An account that can be written.
pub(crate) struct Candidate {
    /// Its account has no password yet.
    pub(crate) profile: Profile,
    pub(crate) secret: Secret,
    /// Whether it is disabled, and the row does not say since when.
    pub(crate) is_disabled_by_flag: bool,
    /// What is not imported as it stands.
    pub(crate) changes: Vec<Remark>,
}

/// The identifying parts of a row, to find repeated ones.
pub(crate) struct Keys {
    pub(crate) account: Option<AccountKey>,
    pub(crate) id: Option<u64>,
    pub(crate) sub: Option<String>,
}

impl Keys {
    pub(crate) fn of(row: &Row) -> Self {
        Self {
            account: row.get(Field::Email).and_then(|text| Email::parse(text).ok()).map(|email| AccountKey::of(&email)),
            id: row.get(Field::Id).and_then(id),
            sub: row.get(Field::GoogleSub).map(str::to_owned),
        }
    }
}

impl Rules {
    /// Reads a row. The error is every reason to refuse it.
    pub(crate) fn read(&self, row: &Row) -> Result<Candidate, Vec<Remark>> {
        let mut refusals = Vec::new();
        let mut changes = Vec::new();
        let id = match row.get(Field::Id) {
            None => Err(Remark::new("id-missing", "give the user an id")),
            Some(text) => {
                let next =
                    "an id is a whole number from 1 to 4503599627370496; new users get ids above the imported ones";
                id(text).ok_or(Remark::new("id-invalid", next))
            }
        };
        let email = match row.get(Field::Email) {
            None => Err(Remark::new("address-missing", "give the user an email address, or leave the user out")),
            Some(text) => Email::parse(text).map_err(|_| {
                Remark::new(
                    "address-invalid",
                    "correct the address; it must have one @, ASCII before it and a domain after it",
                )
            }),
        };
        let sub = row.get(Field::GoogleSub);
        let is_sub = |sub: &str| sub.len() <= SUB_MAX && sub.bytes().all(|byte| byte.is_ascii_graphic());
        if sub.is_some_and(|sub| !is_sub(sub)) {
            refusals.push(Remark::new("identity-invalid", "google_sub must be Google's claim `sub`"));
        } else if sub.is_some_and(is_rounded) {
            let next = "a program has rounded google_sub: export it as a text; without it, the first sign-in with Google links \
                        the account by its address";
            refusals.push(Remark::new("identity-rounded", next));
        }
        if row.is_backslash_unclear {
            let next = "say with --csv-backslash escape or --csv-backslash text what a backslash means; PHP's fputcsv needs \
                        escape: ''";
            refusals.push(Remark::new("backslash-unclear", next));
        }
        let email_verified = self.proved(row).map_err(|remark| refusals.push(remark)).unwrap_or_default();
        let disabled = Disabled::of(row).map_err(|remark| refusals.push(remark)).unwrap_or(Disabled::No);
        let generation = generation(row).map_err(|remark| refusals.push(remark)).unwrap_or_default();
        let secret = self.secret(row, &mut changes).map_err(|remark| refusals.push(remark)).unwrap_or(Secret::None);
        let (id, email) = match (id, email) {
            (Ok(id), Ok(email)) if refusals.is_empty() => (id, email),
            (id, email) => {
                let first = id.err().into_iter().chain(email.err());
                return Err(first.chain(refusals).collect());
            }
        };
        let name = name(row, &email, &mut changes);
        let mut account = Account::new(id, email, name);
        account.avatar = self.avatar(row, &mut changes);
        account.accept_news = newsletter(row, &mut changes);
        account.consent = consent(row, &mut changes);
        account.google_sub = sub.map(str::to_owned);
        account.email_verified = email_verified;
        account.generation = generation;
        if let Disabled::At(time) = disabled {
            account.disabled_at = Some(time);
        }
        let is_disabled_by_flag = disabled == Disabled::Flag;
        let created_at = time_of(row, Field::CreatedAt, "created-at-unknown", &mut changes);
        let profile = Profile::new(account, created_at.unwrap_or_default());
        Ok(Candidate { profile, secret, is_disabled_by_flag, changes })
    }

    fn proved(&self, row: &Row) -> Result<bool, Remark> {
        if let Some(proved) = self.proved {
            return Ok(proved);
        }
        match row.get(Field::EmailVerified) {
            None | Some("0" | "false") => Ok(false),
            Some("1" | "true") => Ok(true),
            // Laravel and others store the time of the proof.
            Some(text) if text.starts_with(NO_TIME) => Ok(false),
            Some(text) if time(text).is_some() => Ok(true),
            Some(_) => Err(Remark::new("proved-invalid", "the column of --proved must be 0, 1, NULL or a time")),
        }
    }

    fn secret(&self, row: &Row, changes: &mut Vec<Remark>) -> Result<Secret, Remark> {
        let Some(text) = row.get(Field::Password) else { return Ok(Secret::None) };
        let salt = row.get(Field::Salt);
        if FastHash::parse(text, None).is_some() {
            let salt = match (salt, self.salt) {
                (None, _) => None,
                (Some(salt), Some(place)) => Some((place, salt.to_owned())),
                (Some(_), None) => {
                    let next = "say with --salt first or --salt last where the salt stood";
                    return Err(Remark::new("salt-place-unknown", next));
                }
            };
            return FastHash::parse(text, salt).map(Secret::Fast).ok_or(Remark::new("hash-unknown", UNKNOWN));
        }
        match legacy::read(text, self.symfony) {
            Ok((stored, _)) => Ok(Secret::Stored(stored)),
            Err(_) if self.without_password_if_unknown => {
                changes.push(Remark::new("password-removed", "the user sets a new one by mail"));
                Ok(Secret::None)
            }
            Err(Unusable::Unknown) => Err(Remark::new("hash-unknown", UNKNOWN)),
            Err(Unusable::Broken) => Err(Remark::new("hash-broken", UNKNOWN)),
            Err(Unusable::TooExpensive) => Err(Remark::new("hash-too-expensive", UNKNOWN)),
        }
    }

    fn avatar(&self, row: &Row, changes: &mut Vec<Remark>) -> Avatar {
        let Some(old) = row.get(Field::UrlImage) else { return Avatar::default() };
        if let Some(new) = self.avatar_map.get(old) {
            if Avatar::at(old).as_ref() != Some(new) {
                changes.push(Remark::new("avatar-mapped", "--avatar-map names the new avatar"));
            }
            return new.clone();
        }
        Avatar::at(old).unwrap_or_else(|| {
            changes.push(Remark::new("avatar-replaced", "it is not one of the 11 avatars; map it with --avatar-map"));
            Avatar::default()
        })
    }
}

/// What to do about a hash that no login can verify.
const UNKNOWN: &str = "import the user with --without-password-if-unknown, and the user sets a new password by mail";

fn id(text: &str) -> Option<u64> {
    text.parse().ok().filter(|id| (1..=IMPORT_ID_MAX).contains(id))
}

/// Whether a spreadsheet or a language with 64-bit floating-point numbers has written a subject identifier of Google, such
/// as 1.10169E+20. Spreadsheets keep 15 digits, and Google's identifiers have 21.
fn is_rounded(sub: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit();
    if sub.bytes().all(is_digit) {
        return sub.len() > 15 && sub.ends_with("000000");
    }
    sub.bytes().next().is_some_and(is_digit) && sub.bytes().all(|byte| is_digit(byte) || b".,+-eE".contains(&byte))
}

fn name(row: &Row, email: &Email, changes: &mut Vec<Remark>) -> String {
    let text = row.get(Field::Name).unwrap_or_default();
    let name = FullName::nearest(text, email.local_part());
    if name.as_str() != text {
        changes
            .push(Remark::new("name-changed", "it was empty, too long, or had spaces around it or control characters"));
    }
    name.as_str().to_owned()
}

fn newsletter(row: &Row, changes: &mut Vec<Remark>) -> bool {
    match row.get(Field::AcceptNews) {
        Some("1" | "true" | "on") => true,
        Some("0" | "false" | "off") => false,
        _ => {
            changes
                .push(Remark::new("newsletter-unknown", "nobody can prove the consent, so the user is not subscribed"));
            false
        }
    }
}

/// Whether a row is of an account that is disabled.
#[derive(PartialEq, Eq)]
enum Disabled {
    No,
    /// Since this time.
    At(u64),
    /// The row does not say since when.
    Flag,
}

impl Disabled {
    /// A value that cannot be read is an error: it must not enable the account.
    fn of(row: &Row) -> Result<Self, Remark> {
        match row.get(Field::DisabledAt) {
            None | Some("0" | "false") => Ok(Self::No),
            Some(text) if text.starts_with(NO_TIME) => Ok(Self::No),
            Some("1" | "true") => Ok(Self::Flag),
            Some(text) => time(text).map(Self::At).ok_or(Remark::new(
                "disabled-at-invalid",
                "disabled_at must be 1 or a time for an account that is disabled, and 0 or NULL for all others",
            )),
        }
    }
}

/// The generation of an export. Rows of other systems have none.
fn generation(row: &Row) -> Result<u64, Remark> {
    let next = "generation must be a whole number from 1; leave it out for users of another system";
    let number = |text: &str| text.parse().ok().filter(|number| (1..=ID_MAX).contains(number));
    row.get(Field::Generation).map_or(Ok(1), |text| number(text).ok_or(Remark::new("generation-invalid", next)))
}

/// What the owner has accepted. A consent whose time cannot be read is no proof.
fn consent(row: &Row, changes: &mut Vec<Remark>) -> Consent {
    let terms_accepted_at = time_of(row, Field::TermsAcceptedAt, "terms-accepted-at-unknown", changes);
    let version = row.get(Field::TermsVersion);
    let readable = version.filter(|version| version.len() <= TERMS_VERSION_MAX && !version.contains(char::is_control));
    if version != readable {
        changes
            .push(Remark::new("terms-version-unknown", "it is too long or has control characters, so it is left out"));
    }
    Consent {
        terms_accepted_at,
        terms_version: readable.map(str::to_owned),
        news_changed_at: time_of(row, Field::NewsChangedAt, "news-changed-at-unknown", changes),
    }
}

fn time_of(row: &Row, field: Field, code: &'static str, changes: &mut Vec<Remark>) -> Option<u64> {
    let text = row.get(field);
    let seconds = text.and_then(time);
    if seconds.is_none() && text.is_some() {
        changes.push(Remark::new(code, "it is not a time, so it is left out"));
    }
    seconds
}

/// Seconds since 1970 of a time in RFC 3339, or of a date or a time as MySQL prints it, in UTC.
pub(crate) fn time(text: &str) -> Option<u64> {
    const DATE: usize = "2020-02-29".len();
    let text = if text.len() == DATE { format!("{text}T00:00:00") } else { text.replacen(' ', "T", 1) };
    let utc = || DateTime::from_str(&format!("{text}Z"), DateFormat::DateTime);
    let time = DateTime::from_str(&text, DateFormat::DateTimeWithOffset).or_else(|_| utc()).ok()?;
    u64::try_from(time.secs()).ok()
}
