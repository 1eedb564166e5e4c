//! The account of one run: its addresses, keys, tokens and links.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use shared::Token;
use shared::system::clock::{Clock, SystemClock};
use stand_ins::Signer;

use crate::accounts::CREDENTIAL_SECONDS;
use crate::passkeys::Passkeys;

/// The secrets of every account's first two sessions, and of its tokens.
const FIRST: u8 = 1;
const SECOND: u8 = 2;
pub(crate) const RESET: u8 = 3;
pub(crate) const VERIFICATION: u8 = 4;
/// The secret of an ended session whose row still exists.
const ENDED: u8 = 5;
/// The token of a change of address.
pub(crate) const CHANGE: u8 = 7;
/// The end of the secret of the link of a notice, which locks the account.
const LOCK: u8 = 6;
/// Subtracted from an account's id, this gives the id of the account that had the address before.
const FORMER: u64 = 400_000_000;
/// Subtracted from an account's id, this gives the id of the account with the identity's new address.
pub(crate) const OTHER: u64 = 200_000_000;
/// The account of one run.
pub(crate) struct Subject {
    pub(crate) email: String,
    pub(crate) pk: String,
    pub(crate) id: u64,
    /// The address that a change gives it, and the key of this address.
    pub(crate) new_email: String,
    pub(crate) new_pk: String,
    /// The token of the link of a notice, and its entry in the profile.
    pub(crate) lock: String,
    pub(crate) lock_link: String,
    /// Whether the mails to its address are counted.
    pub(crate) counts_mails: bool,
    /// `name=value` of the cookie of its known browser.
    pub(crate) browser: String,
    /// Its profile at the start. It is stored unless the start is [`Start::Absent`].
    pub(crate) profile: Value,
    pub(crate) passkeys: Passkeys,
    /// The account of the identity's new address, if there is one.
    pub(crate) other: Option<Other>,
}

/// The account of another address.
pub(crate) struct Other {
    pub(crate) email: String,
    pub(crate) pk: String,
    pub(crate) id: u64,
}

fn secret(of: u8) -> String {
    URL_SAFE_NO_PAD.encode([of; 32])
}

/// The stored hash of a secret.
pub(crate) fn hash(of: u8) -> String {
    static HASHES: OnceLock<BTreeMap<u8, String>> = OnceLock::new();
    let key = "A".repeat(22);
    let hash = |of: u8| (of, Token::parse(&format!("{key}.{}", secret(of))).unwrap().hash());
    HASHES.get_or_init(|| [FIRST, SECOND, RESET, VERIFICATION, ENDED, CHANGE].map(hash).into())[&of].clone()
}

pub(crate) fn now() -> u64 {
    SystemClock.now().seconds()
}

impl Subject {
    fn token(&self, of: u8) -> String {
        format!("{}.{}", self.pk, secret(of))
    }

    /// The cookie of the session that every request with a session presents, except `close-one`.
    pub(crate) fn first_session(&self) -> String {
        format!("session={}", self.token(FIRST))
    }

    /// The cookie of the other session.
    pub(crate) fn second_session(&self) -> String {
        format!("session={}", self.token(SECOND))
    }

    pub(crate) fn reset_token(&self) -> String {
        self.token(RESET)
    }

    pub(crate) fn verification_token(&self) -> String {
        self.token(VERIFICATION)
    }

    pub(crate) fn change_token(&self) -> String {
        self.token(CHANGE)
    }

    /// The id of the account that had the address before.
    pub(crate) fn former_id(&self) -> u64 {
        self.id - FORMER
    }

    /// The partitions with rows that may expire.
    pub(crate) fn partitions(&self) -> Vec<String> {
        std::iter::once(self.pk.clone()).chain(self.passkeys.challenges()).collect()
    }

    /// The partition with the counts of the mails to its address, which outlive it.
    pub(crate) fn mails(&self) -> String {
        let hash = Sha256::new().chain_update("mails#").chain_update(&self.email).finalize();
        format!("mails#{}", URL_SAFE_NO_PAD.encode(hash))
    }

    /// The challenge of a proof of work.
    pub(crate) fn proof(&self) -> String {
        format!("proof-of-{}", self.id)
    }

    /// The `sub` of the account's Google identity.
    pub(crate) fn sub(&self) -> String {
        format!("1{:020}", self.id)
    }

    /// A credential of the identity, with this name.
    pub(crate) fn credential(&self, name: &str) -> String {
        static SIGNER: OnceLock<Signer> = OnceLock::new();
        let claims = json!({
            "iss": "https://accounts.google.com",
            "aud": "local-client",
            "sub": self.sub(),
            "email": self.other.as_ref().map_or(&self.email, |other| &other.email),
            "email_verified": true,
            "name": name,
            "iat": now(),
            "exp": now() + CREDENTIAL_SECONDS,
        });
        SIGNER.get_or_init(|| Signer::first().unwrap()).credential(&claims).unwrap()
    }
}

/// The token of the link of a notice of the account with this key, and its entry in the profile.
pub(crate) fn lock_link(pk: &str, expires_at: u64) -> (String, String) {
    let [_, _, _, time @ ..] = expires_at.to_be_bytes();
    let text = format!("{pk}.{}", URL_SAFE_NO_PAD.encode([time.as_slice(), &[LOCK; 32]].concat()));
    let hash = Token::parse(&text).unwrap().hash();
    (text, format!("{expires_at:010}#{hash}"))
}

/// The token of the first session of the account with this key.
pub(crate) fn first_token(pk: &str) -> Token {
    Token::parse(&format!("{pk}.{}", secret(FIRST))).unwrap()
}

/// The id of the first session in the list of sessions.
pub(crate) fn first_session_id() -> String {
    shared::store::session_id(&hash(FIRST)).to_owned()
}

/// The sort keys of the two sessions, the hashes of the three tokens, and the sort key of the session that has ended.
pub(crate) fn stored() -> [String; 6] {
    let session = |of| format!("session#{}", hash(of));
    [session(FIRST), session(SECOND), hash(RESET), hash(VERIFICATION), hash(CHANGE), session(ENDED)]
}

/// The key of the account that has the address of the start, if another account lies under the key of the address.
pub(crate) fn newcomer<'a>(rows: &'a [Value], subject: &Subject) -> Option<&'a str> {
    let is_pointer = |row: &&Value| row["pk"]["S"] == *subject.pk && row["sk"]["S"] == "profile#address";
    rows.iter().find(is_pointer)?["account"]["S"].as_str()
}
