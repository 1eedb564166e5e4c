//! The digest of an account, by which an import recognises a row that it has read before.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::Account;
use crate::Fault;
use crate::password::{StoredHash, StoredPassword};

/// What the digest covers: all that an import may write, except the generation.
#[derive(Serialize)]
struct Content<'a> {
    id: u64,
    email: &'a str,
    name: &'a str,
    url_image: &'a str,
    accept_news: bool,
    password: Option<&'a str>,
    google_sub: Option<&'a str>,
    email_verified: bool,
    created_at: u64,
    disabled_at: Option<u64>,
    // Digests that were stored before these members existed stay the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    terms_accepted_at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    terms_version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    news_changed_at: Option<u64>,
}

impl Account {
    /// The digest of the account as an import writes it; it was created at this time, in seconds since 1970. Two imports
    /// of one row have the same digest.
    ///
    /// # Errors
    /// The hash of the password was not read.
    pub fn digest(&self, created_at: u64) -> Result<String, Fault> {
        if matches!(self.password, StoredPassword::Unread(_)) {
            return Err(Fault::new("import.digest", "the hash was not read"));
        }
        let content = serde_json::to_vec(&Content {
            id: self.id,
            email: self.email.as_str(),
            name: &self.name,
            url_image: self.avatar.stored(),
            accept_news: self.accept_news,
            password: self.password.hash().map(StoredHash::as_str),
            google_sub: self.google_sub.as_deref(),
            email_verified: self.email_verified,
            created_at,
            disabled_at: self.disabled_at,
            terms_accepted_at: self.consent.terms_accepted_at,
            terms_version: self.consent.terms_version.as_deref(),
            news_changed_at: self.consent.news_changed_at,
        });
        let content = content.map_err(|_| Fault::new("import.digest", "unwritable"))?;
        Ok(URL_SAFE_NO_PAD.encode(Sha256::digest(content)))
    }
}
