//! The passkeys of a run: the one that exists at the start, the new ones, and the challenges that they answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use journeys::Embedded;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use shared::passkey::{Attestation, RelyingParty, Started, new_user_handle};
use shared::store::{NewPasskey, PasskeyChallenges, Purpose};
use shared::system::clock::SystemClock;
use shared::system::random::SystemRandom;
use shared::{Account, Setup};
use stand_ins::authenticator::{Algorithm, Authenticator, encoded};

use crate::case::{Case, Who};
use crate::kinds::Kind;

/// The counter of the passkey at the start, if it counts signatures.
pub(crate) const FIRST_COUNTER: u32 = 4;
/// The maximum number of passkeys of an account.
const PASSKEYS_MAX: usize = shared::store::PASSKEYS_MAX;

/// Prepares the passkeys of the runs.
pub(crate) struct Ceremonies {
    party: RelyingParty,
    challenges: PasskeyChallenges,
    origin: String,
}

/// The passkeys of one run.
#[derive(Default)]
pub(crate) struct Passkeys {
    /// The id of the one that exists at the start.
    pub(crate) id: String,
    /// The signature of a login with it. All logins of a run answer the same challenge.
    pub(crate) login: String,
    /// The later signature of a login that answers another challenge.
    pub(crate) again: String,
    /// The credentials of the registrations, each with its own credential. Those of `passkey-register` answer the same
    /// challenge. Each first or last passkey answers a challenge of its own.
    pub(crate) creations: BTreeMap<Who, String>,
    /// The user handle of the account.
    user_handle: String,
    /// The rows of the passkeys that exist at the start.
    rows: Vec<Value>,
    /// The ids of the passkeys that exist at the start.
    ids: Vec<String>,
    /// The ids of the others.
    new: Vec<String>,
    /// The challenges.
    issued: Vec<String>,
}

impl Ceremonies {
    /// `avatar` is the URL of an avatar, which begins with the front end's URL.
    pub(crate) fn of(stack: &Embedded, avatar: &str) -> Self {
        let setup: Setup = stack.setup_at(Arc::new(SystemClock), &[]);
        let host = avatar.split('/').take(3).collect::<Vec<_>>().join("/");
        let party = RelyingParty::new(&setup).expect("the front end has a host for passkeys");
        Self { party, challenges: PasskeyChallenges::new(&setup), origin: host }
    }

    /// The passkeys that a case needs. `account` is the one of the start.
    pub(crate) async fn prepare(&self, case: &Case, account: &Account) -> Passkeys {
        let mut passkeys = Passkeys::default();
        let mut account = account.clone();
        if case.some(Kind::starts_with_passkey) {
            let counter = if case.has(Kind::PasskeyAgain) { FIRST_COUNTER } else { 0 };
            let (mut authenticator, first, _) = self.create(&self.registration(&account), counter);
            account.passkey_user = Some(first.user_handle.clone());
            passkeys.id = first.id();
            passkeys.user_handle.clone_from(&first.user_handle);
            passkeys.add(&account, &first);
            for kind in [Kind::PasskeyLogin, Kind::PasskeyAgain] {
                let started = self.party.start_login().unwrap_or_else(|_| panic!("the options of a login"));
                let answer = authenticator.get(&options(&started));
                let signed = authenticator.sign(&answer).to_string();
                if case.has(kind) {
                    let answer = if kind == Kind::PasskeyLogin { &mut passkeys.login } else { &mut passkeys.again };
                    *answer = signed;
                    self.issue(&started, Purpose::Login, &mut passkeys).await;
                }
            }
        }
        if case.has(Kind::LastPasskey) {
            let started = self.registration(&account);
            for _ in 2..PASSKEYS_MAX {
                passkeys.add(&account, &self.create(&started, 0).1);
            }
        }
        let common = self.registration(&account);
        let session = crate::subject::first_token(account.key.as_str());
        for who in case.whos() {
            let own = match case.kind(who) {
                Kind::PasskeyRegister => None,
                Kind::FirstPasskey | Kind::LastPasskey => Some(self.registration(&account)),
                _ => continue,
            };
            let (_, new, credential) = self.create(own.as_ref().unwrap_or(&common), 0);
            passkeys.new.push(new.id());
            passkeys.creations.insert(who, credential.to_string());
            if let Some(own) = own {
                self.issue(&own, Purpose::Registration(&account, &session), &mut passkeys).await;
            }
        }
        if case.has(Kind::PasskeyRegister) {
            self.issue(&common, Purpose::Registration(&account, &session), &mut passkeys).await;
        }
        passkeys
    }

    fn registration(&self, account: &Account) -> Started {
        let handle = account.passkey_user.clone().map_or_else(|| new_user_handle(&SystemRandom), Ok);
        let started = handle.and_then(|handle| self.party.start_registration(account, &handle, &[], false));
        started.unwrap_or_else(|_| panic!("the options of a passkey"))
    }

    /// A new credential, as its passkey and as the answer of a browser.
    ///
    /// With the counter 0 it counts no signatures, like the passkeys of most platforms. Only the challenge then reveals
    /// a second answer.
    fn create(&self, started: &Started, counter: u32) -> (Authenticator, NewPasskey, Value) {
        let mut authenticator = Authenticator::new(Algorithm::EdDsa, &self.origin);
        authenticator.counter = counter;
        let credential = authenticator.create(&options(started)).json();
        let attestation = Attestation::read(&to_raw_value(&credential).unwrap()).expect("the answer can be read");
        let new = self.party.verify_registration(&started.state, &attestation).expect("the answer is valid");
        (authenticator, new, credential)
    }

    async fn issue(&self, started: &Started, purpose: Purpose<'_>, passkeys: &mut Passkeys) {
        let issued = self.challenges.issue(&started.challenge, &started.state, purpose).await;
        issued.unwrap_or_else(|_| panic!("the challenge is stored"));
        passkeys.issued.push(started.challenge.clone());
    }
}

impl Passkeys {
    /// Whether the case has any.
    pub(crate) fn exist(&self) -> bool {
        !self.ids.is_empty() || !self.new.is_empty()
    }

    /// Adds a passkey that exists at the start.
    fn add(&mut self, account: &Account, passkey: &NewPasskey) {
        let id = passkey.id();
        self.rows.push(row(account, passkey));
        self.rows.push(json!({
            "pk": {"S": pointer(&id)}, "sk": {"S": "credential"}, "account": {"S": account.key.as_str()},
        }));
        self.ids.push(id);
    }

    /// The rows of the passkeys that exist at the start. The profile gets the attributes that name them.
    pub(crate) fn rows(&self, profile: &mut Value) -> Vec<Value> {
        if !self.ids.is_empty() {
            profile["passkeys"] = json!({"SS": self.ids});
            profile["passkey_user"] = json!({"S": self.user_handle});
        }
        self.rows.clone()
    }

    /// The keys of the items outside the account's partition: the pointers to the account, and the challenges.
    pub(crate) fn keys(&self) -> Vec<Value> {
        let key = |pk: String, sk: &str| json!({"pk": {"S": pk}, "sk": {"S": sk}});
        let pointers = self.ids.iter().chain(&self.new).map(|id| key(pointer(id), "credential"));
        pointers.chain(self.challenges().map(|pk| key(pk, "challenge"))).collect()
    }

    /// The partition keys of the challenges.
    pub(crate) fn challenges(&self) -> impl Iterator<Item = String> {
        self.issued.iter().map(|challenge| format!("challenge#{challenge}"))
    }

    /// The names of the values that exist at the start.
    pub(crate) fn names(&self) -> Vec<(String, String)> {
        let passkeys = self.ids.iter().enumerate().flat_map(|(index, id)| {
            let named = |value: String, name: &str| (value, format!("{name}-{index}"));
            [named(id.clone(), "passkey"), named(sort_key(id), "passkey-row"), named(pointer(id), "pointer")]
        });
        let challenges = self.challenges().enumerate().map(|(index, pk)| (pk, format!("challenge-{index}")));
        passkeys.chain(challenges).collect()
    }
}

/// The partition key of the item that names the account of a passkey.
fn pointer(id: &str) -> String {
    format!("credential#{id}")
}

/// The sort key of a passkey.
fn sort_key(id: &str) -> String {
    format!("passkey#{id}")
}

/// The options as the service sends them.
fn options(started: &Started) -> Value {
    json!({"publicKey": serde_json::from_str::<Value>(started.options.get()).unwrap()})
}

fn row(account: &Account, passkey: &NewPasskey) -> Value {
    json!({
        "pk": {"S": account.key.as_str()},
        "sk": {"S": sort_key(&passkey.id())},
        "id": {"N": account.id.to_string()},
        "name": {"S": "Ana"},
        "credential": {"S": encoded(&passkey.credential)},
        "public_key": {"S": encoded(&passkey.public_key)},
        "counter": {"N": passkey.counter.to_string()},
        "backup": {"S": "not-eligible"},
        "created_at": {"N": "1795240800"},
    })
}
