//! The accounts of the schedules: one for each run, in one engine, so that nothing has to be reset.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use journeys::{Embedded, PASSWORD, plain_client, rows};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use shared::Token;
use shared::store::operator::Profile;
use shared::system::clock::{Clock, SystemClock};
use stand_ins::Signer;

use crate::case::{Case, Start};
use crate::kinds::Kind;
use crate::passkeys::{Ceremonies, Passkeys};

/// The secrets of every account's first two sessions, and of its tokens.
const FIRST: u8 = 1;
const SECOND: u8 = 2;
const RESET: u8 = 3;
const VERIFICATION: u8 = 4;
/// The secret of an ended session whose row still exists.
const ENDED: u8 = 5;
/// The token of a change of address.
const CHANGE: u8 = 7;
/// The end of the secret of the link of a notice, which locks the account.
const LOCK: u8 = 6;
/// The remaining lifetime of the sessions and tokens that exist at the start, in seconds. It is longer than every run,
/// and shorter than the lifetime of the sessions and tokens that a request creates.
pub(crate) const LIFETIME: u64 = 600;
/// The time since the login of the sessions at the start, in seconds. After [`LIFETIME`], this proof is too old. It is also
/// the time since their last use where a request has to record its own use.
const IDLE: u64 = 660;
/// The maximum number of writes of one batch.
const BATCH_MAX: usize = 25;
/// How long a failed login counts, in seconds.
pub(crate) const WINDOW: u64 = 15 * 60;
/// The lifetime of a credential, and of the row of failed logins, in seconds.
const CREDENTIAL_SECONDS: u64 = 3600;
/// Subtracted from an account's id, this gives the id of the account that had the address before.
const FORMER: u64 = 400_000_000;
/// Subtracted from an account's id, this gives the id of the account with the identity's new address.
const OTHER: u64 = 200_000_000;
/// The first id of these accounts. The counter of ids does not reach it. The ids stay below `TIME_MIN` of `names`: a
/// state takes each number from there on for a time.
const FIRST_ID: u64 = 900_000_000;

/// A signature, which the engine requires and does not check.
const SIGNED: &str =
    "AWS4-HMAC-SHA256 Credential=local/20260101/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0";

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
    counts_mails: bool,
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

/// The engine, and an account to copy.
pub(crate) struct Accounts {
    http: reqwest::Client,
    url: String,
    /// The profile of an account that has logged in once.
    pub(crate) profile: Value,
    browser: String,
    ceremonies: Ceremonies,
}

fn secret(of: u8) -> String {
    URL_SAFE_NO_PAD.encode([of; 32])
}

/// The stored hash of a secret.
fn hash(of: u8) -> String {
    static HASHES: OnceLock<BTreeMap<u8, String>> = OnceLock::new();
    let key = "A".repeat(22);
    let hash = |of: u8| (of, Token::parse(&format!("{key}.{}", secret(of))).unwrap().hash());
    HASHES.get_or_init(|| [FIRST, SECOND, RESET, VERIFICATION, ENDED, CHANGE].map(hash).into())[&of].clone()
}

fn now() -> u64 {
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
fn lock_link(pk: &str, expires_at: u64) -> (String, String) {
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

/// A row as the SDK returns it.
pub(crate) fn item(row: &Value) -> HashMap<String, AttributeValue> {
    row.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), attribute(value))).collect()
}

fn attribute(value: &Value) -> AttributeValue {
    let (kind, value) = value.as_object().and_then(|object| object.iter().next()).unwrap();
    match (kind.as_str(), value) {
        ("S", Value::String(text)) => AttributeValue::S(text.clone()),
        ("N", Value::String(number)) => AttributeValue::N(number.clone()),
        ("BOOL", Value::Bool(truth)) => AttributeValue::Bool(*truth),
        ("L", Value::Array(items)) => AttributeValue::L(items.iter().map(attribute).collect()),
        ("SS", Value::Array(texts)) => {
            AttributeValue::Ss(texts.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        }
        ("M", row) => AttributeValue::M(item(row)),
        other => panic!("{other:?} is no attribute of an account"),
    }
}

impl Accounts {
    /// Registers an account and logs in.
    pub(crate) async fn of(stack: &Embedded) -> Self {
        let mut ana = stack.service.visitor().registered().await;
        assert_eq!(ana.login(PASSWORD).await.success(), true);
        let pk = rows::partition_key(&ana.email);
        let http = plain_client().build().unwrap();
        let browser = ana.browser.clone().expect("the stack knows browsers");
        let user = ana.session().await.json();
        let ceremonies = Ceremonies::of(stack, user["user"]["url_image"].as_str().unwrap());
        let empty = Self { http, url: stack.dynamodb_url().to_owned(), profile: Value::Null, browser, ceremonies };
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

    /// The rows of an account: its partition, these entries, its identity if it may have one, and the pointers and
    /// challenges of its passkeys, and the counts of its mails. If the identity's new address has an account, also that
    /// account's partition.
    pub(crate) async fn rows(&self, subject: &Subject, has_identity: bool, entries: &[String]) -> Vec<Value> {
        let mut rows = self.partition(&subject.pk).await;
        rows.extend(self.partition(&subject.new_pk).await);
        let newcomer = newcomer(&rows, subject).map(str::to_owned);
        if let Some(key) = newcomer {
            rows.extend(self.partition(&key).await);
        }
        if let Some(other) = &subject.other {
            rows.extend(self.partition(&other.pk).await);
        }
        if !has_identity && entries.is_empty() && !subject.passkeys.exist() && !subject.counts_mails {
            return rows;
        }
        let mut apart = subject.passkeys.keys();
        apart.push(json!({"pk": {"S": format!("google#{}", subject.sub())}, "sk": {"S": "identity"}}));
        let counts = ["notices", "resets", "verifications"].into_iter().filter(|_| subject.counts_mails);
        apart.extend(counts.map(|sk| json!({"pk": {"S": subject.mails()}, "sk": {"S": sk}})));
        let mut keys = json!({"accounts": {"Keys": apart, "ConsistentRead": true}});
        if !entries.is_empty() {
            let entries: Vec<Value> = entries.iter().map(|id| json!({"id": {"S": id}})).collect();
            keys["entries"] = json!({"Keys": entries, "ConsistentRead": true});
        }
        let answer = self.call("BatchGetItem", &json!({"RequestItems": keys})).await;
        let tables = answer["Responses"].as_object().unwrap().values();
        rows.extend(tables.flat_map(|rows| rows.as_array().unwrap().clone()));
        rows
    }

    /// The rows of a partition that have expired.
    pub(crate) async fn expired(&self, pk: &str, now: u64) -> Vec<Value> {
        self.partition(pk).await.into_iter().filter(|row| has_expired(row, now)).collect()
    }

    /// Deletes a row if it has expired, as TTL does.
    pub(crate) async fn delete_expired(&self, row: &Value, now: u64) {
        let key = json!({"pk": row["pk"], "sk": row["sk"]});
        let found = self.call("GetItem", &json!({"TableName": "accounts", "Key": key, "ConsistentRead": true})).await;
        if has_expired(&found["Item"], now) {
            self.call("DeleteItem", &json!({"TableName": "accounts", "Key": key})).await;
        }
    }

    /// The profile of an account that has logged in once, at another address.
    fn registered(&self, other: &Other) -> Value {
        let mut profile = self.profile.clone();
        profile["pk"] = json!({"S": other.pk});
        profile["email"] = json!({"S": other.email});
        profile["id"] = json!({"N": other.id.to_string()});
        profile["profile_id"] = profile["id"].clone();
        profile
    }

    /// A new account in the state that a case begins with.
    pub(crate) async fn create(&self, case: &Case) -> Subject {
        static NEXT: AtomicU64 = AtomicU64::new(FIRST_ID);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let email = format!("persona-numero-{id}@example.com");
        let pk = rows::partition_key(&email);
        let n = |number: u64| json!({"N": number.to_string()});
        let mut profile = self.profile.clone();
        profile["pk"] = json!({"S": pk});
        profile["email"] = json!({"S": email});
        profile["id"] = n(id);
        profile["profile_id"] = n(id);
        let new_email = format!("otra-direccion-{id}@example.com");
        profile["change_hash"] = json!({"S": hash(CHANGE)});
        profile["change_email"] = json!({"S": new_email});
        profile["change_generation"] = n(1);
        profile["change_session"] = json!({"S": format!("session#{}", hash(FIRST))});
        profile["reset_hash"] = json!({"S": hash(RESET)});
        profile["verify_hash"] = json!({"S": hash(VERIFICATION)});
        for expires_at in ["reset_expires_at", "verify_expires_at", "change_expires_at"] {
            profile[expires_at] = n(now() + LIFETIME);
        }
        let (lock, lock_link) = lock_link(&pk, now() + LIFETIME);
        profile["lock_links"] = json!({"SS": [lock_link]});
        if case.has(Kind::UpgradeLogin) {
            profile["password"] = json!({"S": outdated()});
        }
        profile["email_verified"] = json!({"BOOL": case.start.is_verified()});
        let account = Profile::read(item(&profile)).unwrap_or_else(|_| panic!("the profile can be read")).account;
        let passkeys = self.ceremonies.prepare(case, &account).await;
        let (browser, counts_mails) = (self.browser.clone(), case.some(Kind::counts_mails));
        let (start, other) = (Value::Null, None);
        let new_pk = rows::partition_key(&new_email);
        let mut subject = Subject {
            email,
            pk,
            id,
            new_email,
            new_pk,
            lock,
            lock_link,
            counts_mails,
            browser,
            profile: start,
            passkeys,
            other,
        };
        let mut rows = Vec::new();
        if case.start == Start::Moved {
            let email = format!("nueva-direccion-{id}@example.com");
            let other = Other { pk: rows::partition_key(&email), email, id: id - OTHER };
            rows.push(self.registered(&other));
            subject.other = Some(other);
        }
        if case.start.is_linked() {
            profile["google_sub"] = json!({"S": subject.sub()});
            let link = format!("google#{}", subject.sub());
            rows.push(json!({"pk": {"S": link}, "sk": {"S": "identity"}, "account": {"S": subject.pk}}));
        }
        if case.has(Kind::Import) && case.start != Start::Absent {
            crate::running::actors::mark_imported(&mut profile);
        }
        let [first, second, .., ended] = stored();
        let is_idle = case.some(|kind| kind.only_reads() || kind.is_clock() || kind == Kind::Export);
        let last_seen = if is_idle { now() - IDLE } else { now() };
        let owner = if case.start == Start::Recreated { subject.former_id() } else { id };
        let session = |sk: &String, id: u64, generation: u64| {
            json!({
                "pk": {"S": subject.pk}, "sk": {"S": sk}, "id": n(id), "generation": n(generation),
                "created_at": n(now() - IDLE), "last_seen": n(last_seen), "expires_at": n(now() + LIFETIME),
            })
        };
        if case.has(Kind::NoticeDeletion) {
            rows.push(session(&ended, subject.former_id(), 1));
        } else if case.has(Kind::NoticePassword) {
            rows.push(session(&ended, id, 0));
        }
        if case.some(Kind::is_limited) {
            let times = match case.start {
                Start::ExpiredFailures => vec![n((now() - WINDOW - 2) * 1000), n((now() - WINDOW - 1) * 1000)],
                _ => vec![n(now() * 1000)],
            };
            rows.push(json!({
                "pk": {"S": subject.pk}, "sk": {"S": "failures"}, "times": {"L": times},
                "nonce": {"S": "nonce-of-the-first-failure"}, "expires_at": n(now() + CREDENTIAL_SECONDS),
            }));
        }
        if case.start != Start::Absent {
            rows.extend([&first, &second].map(|sk| session(sk, owner, 1)));
            rows.extend(subject.passkeys.rows(&mut profile));
            rows.push(profile.clone());
        }
        subject.profile = profile;
        if !rows.is_empty() {
            let puts: Vec<Value> = rows.into_iter().map(|row| json!({"PutRequest": {"Item": row}})).collect();
            for puts in puts.chunks(BATCH_MAX) {
                self.call("BatchWriteItem", &json!({"RequestItems": {"accounts": puts}})).await;
            }
        }
        subject
    }
}

/// The key of the account that has the address of the start, if another account lies under the key of the address.
pub(crate) fn newcomer<'a>(rows: &'a [Value], subject: &Subject) -> Option<&'a str> {
    let is_pointer = |row: &&Value| row["pk"]["S"] == *subject.pk && row["sk"]["S"] == "profile#address";
    rows.iter().find(is_pointer)?["account"]["S"].as_str()
}

/// A hash of the password of all accounts, at a cost that the tests' stacks do not use.
pub(crate) fn outdated() -> &'static str {
    static HASH: OnceLock<String> = OnceLock::new();
    HASH.get_or_init(|| rows::weak_hash(PASSWORD))
}

fn has_expired(row: &Value, now: u64) -> bool {
    let expires_at = row["expires_at"]["N"].as_str().and_then(|number| number.parse::<u64>().ok());
    expires_at.is_some_and(|expires_at| expires_at < now)
}
