//! The accounts of the schedules: one for each run, in one engine, so that nothing has to be reset.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use journeys::{Embedded, PASSWORD, plain_client, rows};
use serde_json::{Value, json};
use shared::store::operator::Profile;

use crate::case::{Case, Start};
use crate::kinds::Kind;
use crate::passkeys::Ceremonies;
use crate::subject::{CHANGE, OTHER, Other, RESET, Subject, VERIFICATION, hash, lock_link, newcomer, now, stored};

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
pub(crate) const CREDENTIAL_SECONDS: u64 = 3600;
/// The first id of these accounts. The counter of ids does not reach it. The ids stay below `TIME_MIN` of `names`: a
/// state takes each number from there on for a time.
const FIRST_ID: u64 = 900_000_000;

/// A signature, which the engine requires and does not check.
const SIGNED: &str =
    "AWS4-HMAC-SHA256 Credential=local/20260101/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0";

/// The engine, and an account to copy.
pub(crate) struct Accounts {
    http: reqwest::Client,
    url: String,
    /// The profile of an account that has logged in once.
    pub(crate) profile: Value,
    browser: String,
    ceremonies: Ceremonies,
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
        profile["change_session"] = json!({"S": stored()[0]});
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
        let account = Profile::read(rows::from_json(&profile)).unwrap().account;
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

/// A hash of the password of all accounts, at a cost that the tests' stacks do not use.
pub(crate) fn outdated() -> &'static str {
    static HASH: OnceLock<String> = OnceLock::new();
    HASH.get_or_init(|| rows::weak_hash(PASSWORD))
}

fn has_expired(row: &Value, now: u64) -> bool {
    let expires_at = row["expires_at"]["N"].as_str().and_then(|number| number.parse::<u64>().ok());
    expires_at.is_some_and(|expires_at| expires_at < now)
}
