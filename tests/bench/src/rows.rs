//! The items of the account that all scenarios use: its profile and session, its passkey, and the change of it that the
//! function `notices` handles.

use std::sync::Arc;

use argon2::{Argon2, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use shared::account::Account;
use shared::passkey::{Attestation, RelyingParty, new_user_handle};
use shared::system::clock::{Clock, SystemClock};
use shared::system::random::SystemRandom;
use shared::{AccountKey, Email, Setup, Token};
use stand_ins::Signer;
use stand_ins::authenticator::{Algorithm, Authenticator};

use crate::Outcome;
use crate::table::Answers;

/// The account's address.
pub const EMAIL: &str = "ana@example.com";
/// Its owner's name.
pub const NAME: &str = "Ana García";
/// Its password.
pub const PASSWORD: &str = "Secreto123";
/// The subject of its identity at the provider.
pub const SUB: &str = "100000000000000000001";
/// The client id whose credentials are accepted.
pub(crate) const CLIENT: &str = "local-client";
/// The secret of its session.
const SECRET: [u8; 32] = [7; 32];
/// The salt of its password.
const SALT: [u8; 16] = [7; 16];

/// The cost of the stored password's hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hash {
    /// The cost that the service uses.
    Full,
    /// The lowest cost that Argon2 allows, so that a measurement shows the rest of a call.
    Light,
}

impl Hash {
    /// The memory in KiB and the number of passes.
    #[must_use]
    pub fn cost(self) -> (u32, u32) {
        match self {
            Self::Full => (19_456, 2),
            Self::Light => (8, 1),
        }
    }
}

/// The account and its session.
pub struct Rows {
    /// The session's token, as the cookie holds it.
    pub token: String,
    /// The account's item.
    pub profile: Value,
    /// The session's item.
    pub session: Value,
}

impl Rows {
    /// The items of an account with a session that was used just now.
    ///
    /// # Errors
    /// The password cannot be hashed.
    pub fn new(hash: Hash) -> Outcome<Self> {
        let email = Email::parse(EMAIL).map_err(|_| "the address is invalid")?;
        let key = AccountKey::of(&email).as_str().to_owned();
        let text = format!("{key}.{}", URL_SAFE_NO_PAD.encode(SECRET));
        let token = Token::parse(&text).ok_or("the token is invalid")?;
        let now = SystemClock.now().seconds();
        let profile = json!({
            "pk": {"S": key}, "sk": {"S": "profile"}, "id": {"N": "7"}, "email": {"S": EMAIL},
            "name": {"S": NAME},
            "url_image": {"S": "default"},
            "accept_news": {"N": "1"}, "password": {"S": phc(hash)?}, "google_sub": {"S": SUB},
            "email_verified": {"BOOL": true}, "generation": {"N": "3"}, "created_at": {"N": now.to_string()},
            "nonce": {"S": "AAAAAAAAAAAAAAAAAAAAAA"},
        });
        let session = json!({
            "pk": {"S": key}, "sk": {"S": format!("session#{}", token.hash())}, "id": {"N": "7"},
            "generation": {"N": "3"}, "created_at": {"N": now.to_string()}, "last_seen": {"N": now.to_string()},
            "expires_at": {"N": (now + 7200).to_string()}, "nonce": {"S": "AAAAAAAAAAAAAAAAAAAAAA"},
        });
        Ok(Self { token: text, profile, session })
    }
}

/// The password's hash as a PHC string, the format that the table stores.
fn phc(hash: Hash) -> Outcome<String> {
    let (memory, passes) = hash.cost();
    let params = Params::new(memory, passes, 1, None).map_err(|error| error.to_string())?;
    let mut bytes = [0; 32];
    Argon2::new(argon2::Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(PASSWORD.as_bytes(), &SALT, &mut bytes)
        .map_err(|error| error.to_string())?;
    let [salt, hash] = [SALT.as_slice(), bytes.as_slice()].map(|bytes| STANDARD_NO_PAD.encode(bytes));
    Ok(format!("$argon2id$v=19$m={memory},t={passes},p=1${salt}${hash}"))
}

/// The account's item while a change of its address waits for the link whose token has this hash.
#[must_use]
pub fn with_change(profile: &Value, hash: &str) -> Value {
    let until = (SystemClock.now().seconds() + 3600).to_string();
    let mut changing = profile.as_object().cloned().unwrap_or_default();
    changing.extend([
        ("change_hash".to_owned(), json!({"S": hash})),
        ("change_expires_at".to_owned(), json!({"N": until})),
        ("change_email".to_owned(), json!({"S": "ana.nueva@example.com"})),
        ("change_generation".to_owned(), json!({"N": "3"})),
        ("change_session".to_owned(), json!({"S": "session#of-the-request"})),
    ]);
    Value::Object(changing)
}

/// The token of a notice to the owner of an account, which has a token `of`.
pub(crate) fn lock_token(of: &Token) -> Outcome<String> {
    let lock = Token::mint_until(of.account(), SystemClock.now().plus_seconds(3600), &SystemRandom);
    Ok(lock.map_err(|_| "no random bytes")?.reveal().to_string())
}

/// A credential of the account's owner. It is valid for an hour.
pub(crate) fn credential(signer: &Signer) -> Outcome<String> {
    let now = SystemClock.now().seconds();
    let claims = json!({
        "iss": "https://accounts.google.com", "aud": CLIENT, "sub": SUB, "email": EMAIL, "email_verified": true,
        "name": NAME, "iat": now, "exp": now + 3600,
    });
    Ok(signer.credential(&claims)?)
}

/// A passkey, and the challenges that its authenticator has answered.
pub(crate) struct Passkey {
    /// Its id.
    pub(crate) id: String,
    /// Its item.
    pub(crate) row: Value,
    /// Its pointer.
    pub(crate) pointer: Value,
    /// The attributes of the profile that name it.
    pub(crate) in_profile: Value,
    /// The challenge of a registration, and the answer.
    pub(crate) registration: (Value, Value),
    /// The challenge of a login, and the answer.
    pub(crate) login: (Value, Value),
}

impl Passkey {
    /// A passkey of the account, with challenges that have just been issued, one to this session.
    ///
    /// # Errors
    /// The relying party or the authenticator refuses.
    pub(crate) fn new(front_end: &str, session: &Token) -> Outcome<Self> {
        let settings = [("FRONT_END_URL", front_end), ("PASSKEY_ORIGINS", "")];
        let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let setup = Setup::new(settings, Arc::new(SystemClock), Arc::new(SystemRandom));
        let party = RelyingParty::new(&setup).ok_or("the front end has no passkeys")?;
        let account = account()?;
        let now = SystemClock.now().seconds();
        let row_of = |name: &str, state: &[u8], account: Option<&Account>| {
            let mut row = json!({
                "pk": {"S": format!("challenge#{name}")}, "sk": {"S": "challenge"},
                "state": {"S": URL_SAFE_NO_PAD.encode(state)}, "expires_at": {"N": (now + 300).to_string()},
            });
            if let (Some(account), Some(row)) = (account, row.as_object_mut()) {
                let (key, id) = (account.key.as_str(), account.id.to_string());
                row.insert("account".to_owned(), json!({"L": [{"S": key}, {"N": id}, {"S": session.hash()}]}));
            }
            row
        };
        let mut authenticator = Authenticator::new(Algorithm::Es256, front_end);

        let handle = new_user_handle(&SystemRandom).map_err(|fault| fault.cause)?;
        let started = party.start_registration(&account, &handle, &[], false).map_err(|fault| fault.cause)?;
        let attestation = authenticator.create(&json!({"publicKey": started.options})).json();
        let read = Attestation::read(&to_raw_value(&attestation)?).ok_or("the attestation cannot be read")?;
        let new = party.verify_registration(&started.state, &read).ok_or("the attestation is refused")?;
        let registration = (row_of(&started.challenge, &started.state, Some(&account)), attestation);

        let started = party.start_login().map_err(|fault| fault.cause)?;
        let answer = authenticator.get(&json!({"publicKey": started.options}));
        let login = (row_of(&started.challenge, &started.state, None), authenticator.sign(&answer));

        let id = new.id();
        let (key, text) = (account.key.as_str(), |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes));
        let row = json!({
            "pk": {"S": key}, "sk": {"S": format!("passkey#{id}")}, "id": {"N": account.id.to_string()},
            "name": {"S": "Mi portátil"}, "credential": {"S": text(&new.credential)},
            "public_key": {"S": text(&new.public_key)}, "counter": {"N": "1"}, "backup": {"S": "not-eligible"},
            "transports": {"L": [{"S": "internal"}]}, "created_at": {"N": now.to_string()},
        });
        let pointer = json!({
            "pk": {"S": format!("credential#{id}")}, "sk": {"S": "credential"}, "account": {"S": key},
        });
        let in_profile = json!({"passkeys": {"SS": [id]}, "passkey_user": {"S": new.user_handle}});
        Ok(Self { id, row, pointer, in_profile, registration, login })
    }
}

fn account() -> Outcome<Account> {
    let email = Email::parse(EMAIL).map_err(|_| "the address is invalid")?;
    Ok(Account { generation: 3, email_verified: true, ..Account::new(7, email, NAME.to_owned()) })
}

/// The event with a new password of this account, which ends a session and sends a letter, whose generation is 3, and the answers of the services. The table has a
/// session of the generation before, and no record that a letter about the change was sent.
pub(crate) fn changed_password(profile: &Value, session: &Value) -> (Value, Answers) {
    let [mut before, mut ended] = [profile, session].map(Clone::clone);
    for item in [&mut before, &mut ended] {
        set(item, "generation", json!({"N": "2"}));
    }
    set(&mut before, "password", json!({"S": "$argon2id$v=19$m=8,t=1,p=1$b3RoZXI$b3RoZXI"}));
    let record = json!({
        "eventID": "1",
        "eventName": "MODIFY",
        "dynamodb": {
            "ApproximateCreationDateTime": SystemClock.now().seconds(),
            "Keys": {"pk": profile.get("pk"), "sk": profile.get("sk")},
            "NewImage": profile,
            "OldImage": before,
            "SequenceNumber": "100",
        },
    });
    let answers = [
        ("Query", json!({"Items": [ended], "Count": 1, "ScannedCount": 1})),
        ("GetItem", json!({})),
        ("DeleteItem", json!({})),
        ("PutItem", json!({})),
        ("UpdateItem", json!({})),
    ];
    (json!({"Records": [record]}), answers.into())
}

fn set(item: &mut Value, name: &str, value: Value) {
    if let Some(item) = item.as_object_mut() {
        item.insert(name.to_owned(), value);
    }
}
