//! The passkeys of a run: the one that exists at the start, the new ones, and the challenges that they answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use journeys::Embedded;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use shared::passkey::{Attestation, RelyingParty, Started};
use shared::store::{Challenges, NewPasskey, Purpose};
use shared::system::clock::SystemClock;
use shared::system::random::SystemRandom;
use shared::{Account, Setup};
use stand_ins::authenticator::{Algorithm, Authenticator, encoded};

use crate::case::{Case, Who};
use crate::kinds::Kind;

/// Prepares the passkeys of the runs.
pub(crate) struct Ceremonies {
    party: RelyingParty,
    challenges: Challenges,
    origin: String,
}

/// The passkeys of one run.
#[derive(Default)]
pub(crate) struct Passkeys {
    /// The id of the one that exists at the start.
    pub(crate) id: String,
    /// The body of a login with it. All logins of a run answer the same challenge.
    pub(crate) login: String,
    /// The bodies of the registrations. All answer the same challenge, and each has a credential of its own.
    pub(crate) creations: BTreeMap<Who, String>,
    /// The user handle of the account.
    user_handle: String,
    /// The row of the passkey that exists at the start.
    row: Value,
    /// The ids of all passkeys.
    ids: Vec<String>,
    /// The challenges.
    issued: Vec<String>,
}

impl Ceremonies {
    /// `avatar` is the address of an avatar, which is below that of the front end.
    pub(crate) fn of(stack: &Embedded, avatar: &str) -> Self {
        let setup: Setup = stack.setup_at(Arc::new(SystemClock), &[]);
        let host = avatar.split('/').take(3).collect::<Vec<_>>().join("/");
        let party = RelyingParty::new(&setup).expect("the front end has a host for passkeys");
        Self { party, challenges: Challenges::new(&setup), origin: host }
    }

    /// The passkeys that a case needs. `account` is the one of the start.
    pub(crate) async fn prepare(&self, case: &Case, account: &Account) -> Passkeys {
        if !case.some(Kind::is_about_passkeys) {
            return Passkeys::default();
        }
        let mut account = account.clone();
        let (mut authenticator, first, _) = self.create(&self.registration(&account));
        account.passkey_user = Some(first.user_handle.clone());
        let id = first.id();
        let mut passkeys =
            Passkeys { row: row(&account, &first), user_handle: first.user_handle, id, ..Passkeys::default() };
        passkeys.ids.push(passkeys.id.clone());
        if case.has(Kind::PasskeyLogin) {
            let started = self.party.login().unwrap_or_else(|_| panic!("the options of a login"));
            let answer = authenticator.get(&options(&started));
            passkeys.login = json!({"credential": authenticator.sign(&answer)}).to_string();
            self.issue(&started, Purpose::Login, &mut passkeys).await;
        }
        if case.has(Kind::PasskeyRegister) {
            let started = self.registration(&account);
            for who in case.whos().filter(|who| case.kind(*who) == Kind::PasskeyRegister) {
                let (_, new, credential) = self.create(&started);
                passkeys.ids.push(new.id());
                let name = Kind::PasskeyRegister.owner(who);
                passkeys.creations.insert(who, json!({"credential": credential, "name": name}).to_string());
            }
            self.issue(&started, Purpose::Registration(&account), &mut passkeys).await;
        }
        passkeys
    }

    fn registration(&self, account: &Account) -> Started {
        self.party.registration(account, &[], &SystemRandom).unwrap_or_else(|_| panic!("the options of a passkey"))
    }

    /// A new credential, as its passkey and as the answer of a browser.
    fn create(&self, started: &Started) -> (Authenticator, NewPasskey, Value) {
        let mut authenticator = Authenticator::new(Algorithm::EdDsa, &self.origin);
        // Like the passkeys of most platforms, it counts no signatures. So only the challenge tells a second answer.
        authenticator.counter = 0;
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
        !self.ids.is_empty()
    }

    /// The rows of the passkey that exists at the start. Its account gets the attributes that name it.
    pub(crate) fn rows(&self, profile: &mut Value) -> Vec<Value> {
        if !self.exist() {
            return Vec::new();
        }
        profile["passkeys"] = json!({"SS": [self.id]});
        profile["passkey_user"] = json!({"S": self.user_handle});
        let pointer = json!({"pk": {"S": pointer(&self.id)}, "sk": {"S": "credential"}, "account": self.row["pk"]});
        vec![self.row.clone(), pointer]
    }

    /// The keys of the items outside of the account's partition: the pointers to the account, and the challenges.
    pub(crate) fn keys(&self) -> Vec<Value> {
        let key = |pk: String, sk: &str| json!({"pk": {"S": pk}, "sk": {"S": sk}});
        let pointers = self.ids.iter().map(|id| key(pointer(id), "credential"));
        pointers.chain(self.challenges().map(|pk| key(pk, "challenge"))).collect()
    }

    /// The partition keys of the challenges.
    pub(crate) fn challenges(&self) -> impl Iterator<Item = String> {
        self.issued.iter().map(|challenge| format!("challenge#{challenge}"))
    }

    /// What exists at the start, with names.
    pub(crate) fn names(&self) -> Vec<(String, &'static str)> {
        if !self.exist() {
            return Vec::new();
        }
        let passkey =
            [(self.id.clone(), "passkey"), (sort_key(&self.id), "passkey-row"), (pointer(&self.id), "pointer")];
        passkey.into_iter().chain(self.challenges().zip(["challenge", "other-challenge"])).collect()
    }
}

/// The partition key of the item that names the account of a passkey.
pub(crate) fn pointer(id: &str) -> String {
    format!("credential#{id}")
}

/// The sort key of a passkey.
pub(crate) fn sort_key(id: &str) -> String {
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
