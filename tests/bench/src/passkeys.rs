//! A passkey of the scenarios' account: its items, and the answers of its authenticator.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use shared::account::Account;
use shared::passkey::{Attestation, RelyingParty, new_user_handle};
use shared::system::clock::{Clock, SystemClock};
use shared::system::random::SystemRandom;
use shared::{Email, Setup, Token};
use stand_ins::authenticator::{Algorithm, Authenticator};

use crate::Outcome;
use crate::rows::{EMAIL, NAME};

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
