//! The accounts of the schedules: one for each run, in one engine, so that nothing has to be reset.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use journeys::{Embedded, PASSWORD, plain_client};
use serde_json::{Value, json};
use shared::system::clock::{Clock, SystemClock};
use shared::{AccountKey, Email, Token};
use stand_ins::Signer;

/// The secrets of every account's first two sessions, and of its tokens.
const FIRST: u8 = 1;
const SECOND: u8 = 2;
const RESET: u8 = 3;
const VERIFICATION: u8 = 4;
/// Long enough for every run: an hour, in seconds.
const LIFETIME: u64 = 3600;
/// Ids that the counter of ids does not reach.
const FIRST_ID: u64 = 1_000_000;

/// A signature, which the engine requires and does not check.
const SIGNED: &str =
    "AWS4-HMAC-SHA256 Credential=local/20260101/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0";

/// The account that both requests find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Start {
    /// There is none.
    Absent,
    /// It has a password, two sessions, a known browser, a reset token and a verification token. Nobody has proved its
    /// address.
    Registered,
    /// The same with a proved address.
    Verified,
    /// The same, linked to a Google identity.
    Linked,
}

impl Start {
    pub(crate) const ALL: [Self; 4] = [Self::Absent, Self::Registered, Self::Verified, Self::Linked];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Registered => "registered",
            Self::Verified => "verified",
            Self::Linked => "linked",
        }
    }
}

/// The account of one run.
pub(crate) struct Subject {
    pub(crate) email: String,
    pub(crate) pk: String,
    pub(crate) id: u64,
    /// `name=value` of the cookie of its known browser.
    pub(crate) browser: String,
}

/// The engine, and an account to copy.
pub(crate) struct Accounts {
    http: reqwest::Client,
    url: String,
    /// The profile of an account that has logged in once.
    pub(crate) profile: Value,
    browser: String,
}

fn secret(of: u8) -> String {
    URL_SAFE_NO_PAD.encode([of; 32])
}

/// The stored hash of a secret.
fn hash(of: u8) -> String {
    static HASHES: OnceLock<BTreeMap<u8, String>> = OnceLock::new();
    let key = "A".repeat(22);
    let hash = |of: u8| (of, Token::parse(&format!("{key}.{}", secret(of))).unwrap().hash());
    HASHES.get_or_init(|| [FIRST, SECOND, RESET, VERIFICATION].map(hash).into())[&of].clone()
}

fn now() -> u64 {
    SystemClock.now().seconds()
}

impl Subject {
    fn token(&self, of: u8) -> String {
        format!("{}.{}", self.pk, secret(of))
    }

    /// The cookie of the session that both requests present.
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

    /// The identity of the account's address.
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
            "email": self.email,
            "email_verified": true,
            "name": name,
            "iat": now(),
            "exp": now() + LIFETIME,
        });
        SIGNER.get_or_init(|| Signer::first().unwrap()).credential(&claims).unwrap()
    }
}

/// The id of the first session in the list of sessions.
pub(crate) fn first_session_id() -> String {
    shared::store::session_id(&hash(FIRST)).to_owned()
}

/// The sort keys of the two sessions, and the hashes of the two tokens.
pub(crate) fn stored() -> [String; 4] {
    [format!("session#{}", hash(FIRST)), format!("session#{}", hash(SECOND)), hash(RESET), hash(VERIFICATION)]
}

impl Accounts {
    /// Registers an account and logs in.
    pub(crate) async fn of(stack: &Embedded) -> Self {
        let mut ana = stack.service.visitor().registered().await;
        assert_eq!(ana.login(PASSWORD).await.success(), true);
        let pk = AccountKey::of(&Email::parse(&ana.email).unwrap()).as_str().to_owned();
        let http = plain_client().build().unwrap();
        let browser = ana.browser.clone().expect("the stack knows browsers");
        let empty = Self { http, url: stack.dynamodb_url().to_owned(), profile: Value::Null, browser };
        let rows = empty.partition(&pk).await;
        let profile = rows.into_iter().find(|row| row["sk"]["S"] == "profile").unwrap();
        Self { profile, ..empty }
    }

    /// A call to the table.
    async fn call(&self, operation: &str, body: &Value) -> Value {
        let request = self.http.post(&self.url).header("x-amz-target", format!("DynamoDB_20120810.{operation}"));
        let request = request.header("content-type", "application/x-amz-json-1.0").header("authorization", SIGNED);
        let answer = request.header("x-amz-date", "20260101T000000Z").body(body.to_string()).send().await.unwrap();
        let (status, text) = (answer.status(), answer.text().await.unwrap());
        assert!(status.is_success(), "{operation}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    async fn partition(&self, pk: &str) -> Vec<Value> {
        let asked = json!({
            "TableName": "accounts",
            "ConsistentRead": true,
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": {"S": pk}},
        });
        self.call("Query", &asked).await["Items"].as_array().unwrap().clone()
    }

    /// The rows of an account, with these entries, and with the row of its identity if it may have one.
    pub(crate) async fn rows(&self, subject: &Subject, has_identity: bool, entries: &[String]) -> Vec<Value> {
        let mut rows = self.partition(&subject.pk).await;
        if !has_identity && entries.is_empty() {
            return rows;
        }
        let link = json!({"pk": {"S": format!("google#{}", subject.sub())}, "sk": {"S": "identity"}});
        let mut keys = json!({"accounts": {"Keys": [link], "ConsistentRead": true}});
        if !entries.is_empty() {
            let entries: Vec<Value> = entries.iter().map(|id| json!({"id": {"S": id}})).collect();
            keys["entries"] = json!({"Keys": entries, "ConsistentRead": true});
        }
        let answer = self.call("BatchGetItem", &json!({"RequestItems": keys})).await;
        let tables = answer["Responses"].as_object().unwrap().values();
        rows.extend(tables.flat_map(|rows| rows.as_array().unwrap().clone()));
        rows
    }

    /// A new account in this state.
    pub(crate) async fn create(&self, start: Start) -> Subject {
        static NEXT: AtomicU64 = AtomicU64::new(FIRST_ID);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let email = format!("persona-numero-{id}@example.com");
        let pk = AccountKey::of(&Email::parse(&email).unwrap()).as_str().to_owned();
        let subject = Subject { email, pk, id, browser: self.browser.clone() };
        if start == Start::Absent {
            return subject;
        }
        let n = |number: u64| json!({"N": number.to_string()});
        let mut profile = self.profile.clone();
        profile["pk"] = json!({"S": subject.pk});
        profile["email"] = json!({"S": subject.email});
        profile["id"] = n(id);
        profile["profile_id"] = n(id);
        profile["reset_hash"] = json!({"S": hash(RESET)});
        profile["verify_hash"] = json!({"S": hash(VERIFICATION)});
        for expires_at in ["reset_expires_at", "verify_expires_at"] {
            profile[expires_at] = n(now() + LIFETIME);
        }
        profile["email_verified"] = json!({"BOOL": start != Start::Registered});
        let mut rows = Vec::new();
        if start == Start::Linked {
            profile["google_sub"] = json!({"S": subject.sub()});
            let link = format!("google#{}", subject.sub());
            rows.push(json!({"pk": {"S": link}, "sk": {"S": "identity"}, "account": {"S": subject.pk}}));
        }
        for sk in &stored()[..2] {
            rows.push(json!({
                "pk": {"S": subject.pk}, "sk": {"S": sk}, "id": n(id), "generation": profile["generation"],
                "created_at": n(now()), "last_seen": n(now()), "expires_at": n(now() + LIFETIME),
            }));
        }
        rows.push(profile);
        let puts: Vec<Value> = rows.into_iter().map(|row| json!({"PutRequest": {"Item": row}})).collect();
        self.call("BatchWriteItem", &json!({"RequestItems": {"accounts": puts}})).await;
        subject
    }
}
