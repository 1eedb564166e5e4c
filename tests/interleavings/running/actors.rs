//! The processes that answer the requests, and the actors that are not requests: the authorizer, the function `notices`, the operator's
//! import of one row, and the clock with TTL.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::future::join_all;
use journeys::sentences::NO_SESSION;
use journeys::{Embedded, Gate, paths};
use serde_json::{Value, json};
use shared::account::AccountKey;
use shared::store::operator::{Imported, Inserted, Operator, Profile};
use shared::store::{Ids, SpentProofs};
use shared::system::clock::{Clock, SystemClock, Timestamp};
use shared::{Email, Setup};

use crate::accounts::{Accounts, LIFETIME};
use crate::kinds::{AUTHORIZER, IMPORT, Kind, LEASE, LIMITED, LONG_TIME, NOTICES, SPEND, TIME};
use crate::subject::Subject;

/// The step of the clock. Its answer is the number of rows that have expired.
pub(crate) const TIME_PASSES: &str = "TimePasses";
/// The limit of failed logins where there is one.
pub(crate) const LIMIT: &str = "2";

/// The idle timeout of a session, in seconds. Reset links and challenges have shorter lifetimes.
const IDLE_MAX: u64 = 2 * 60 * 60;

/// The clock of the processes that run one schedule.
#[derive(Default)]
pub(crate) struct LaneClock {
    /// In milliseconds.
    shift: AtomicU64,
}

impl LaneClock {
    /// Moves the clock forward.
    fn pass(&self, seconds: u64) {
        self.shift.fetch_add(seconds * 1000, Ordering::SeqCst);
    }

    /// Sets the clock to the system's time again.
    pub(crate) fn reset(&self) {
        self.shift.store(0, Ordering::SeqCst);
    }
}

impl Clock for LaneClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_milliseconds(SystemClock.now().milliseconds() + self.shift.load(Ordering::SeqCst))
    }
}

/// A process with all functions.
pub(crate) struct Process {
    pub(crate) gate: Arc<Gate>,
    functions: BTreeMap<&'static str, local::Function>,
}

impl Process {
    pub(crate) async fn start(stack: &Embedded, accounts: &Arc<Accounts>, clock: &Arc<LaneClock>) -> Self {
        let gate = Arc::new(Gate::start(stack.dynamodb_url()).await);
        let setup = |more: &[(&str, &str)]| {
            let common =
                [("AWS_ENDPOINT_URL_DYNAMODB", gate.url()), ("AWS_ENDPOINT_URL_SESV2", gate.url()), ("NOTICES", "on")];
            stack.setup_at(Arc::clone(clock) as Arc<dyn Clock>, &[&common, more].concat())
        };
        let plain = setup(&[]);
        let of_path = |path: &str, setup: &Setup| {
            let route = stack.template().routes().find(|route| route.path == path).unwrap();
            local::start_function(&route.function, setup).unwrap()
        };
        let mut functions = BTreeMap::new();
        for kind in Kind::ALL {
            let path = kind.path();
            functions.entry(path).or_insert_with(|| match path {
                LIMITED => of_path(paths::LOGIN, &setup(&[("LOGIN_MAX_FAILURES", LIMIT)])),
                NOTICES => local::start_function("Notices", &setup(&[("VERIFY_EMAIL", "on")])).unwrap(),
                AUTHORIZER => authorization(local::start_function("Authorizer", &plain).unwrap()),
                IMPORT => row_import(Operator::new(&plain), accounts.profile.clone()),
                LEASE => id_lease(setup(&[])),
                SPEND => proof_spending(SpentProofs::new(&plain)),
                TIME => time_passing(LIFETIME + 1, Arc::clone(&gate), Arc::clone(clock), Arc::clone(accounts)),
                LONG_TIME => time_passing(IDLE_MAX + 1, Arc::clone(&gate), Arc::clone(clock), Arc::clone(accounts)),
                path => of_path(path, &plain),
            });
        }
        Self { gate, functions }
    }

    /// The function of a kind.
    pub(crate) fn function(&self, kind: Kind) -> &local::Function {
        &self.functions[kind.path()]
    }
}

/// The answer of an actor that is not an endpoint.
fn answer(message: &str) -> String {
    json!({"statusCode": 200, "body": json!({"message": message}).to_string()}).to_string()
}

/// The answer after a failure.
fn failed() -> String {
    json!({"statusCode": 500}).to_string()
}

/// The verdict of the authorizer, in place of the answer of a request.
fn authorization(authorizer: local::Function) -> local::Function {
    Arc::new(move |event| {
        let verdict = authorizer(event);
        Box::pin(async move {
            let verdict: Value = serde_json::from_str(&verdict.await).unwrap();
            match verdict["isAuthorized"].as_bool() {
                Some(true) => answer(""),
                Some(false) => {
                    let (status, message) = NO_SESSION;
                    json!({"statusCode": status, "body": json!({"message": message}).to_string()}).to_string()
                }
                None => failed(),
            }
        })
    })
}

/// Moves the clock past some lifetimes. Then TTL deletes the expired rows, in any order.
fn time_passing(seconds: u64, gate: Arc<Gate>, clock: Arc<LaneClock>, accounts: Arc<Accounts>) -> local::Function {
    Arc::new(move |partitions| {
        let (gate, clock, accounts) = (Arc::clone(&gate), Arc::clone(&clock), Arc::clone(&accounts));
        // It runs in its own task, because its steps must proceed even if the future of the answer is not polled.
        let task = tokio::spawn(async move {
            let mut expired = Vec::new();
            let passing = async {
                clock.pass(seconds);
                for pk in partitions.split_whitespace() {
                    expired.extend(accounts.expired(pk, clock.now().seconds()).await);
                }
                json!({"expired": expired.len()})
            };
            gate.act(TIME_PASSES, passing).await;
            let sweeping = expired.iter().map(|row| {
                let deleting = async {
                    // Its lifetime may have been extended since.
                    accounts.delete_expired(row, clock.now().seconds()).await;
                    Value::Null
                };
                gate.act("TtlDeletes", deleting)
            });
            // All deletions wait at the gate at the same time.
            join_all(sweeping.collect::<Vec<_>>()).await;
            answer("")
        });
        Box::pin(async move { task.await.unwrap() })
    })
}

/// The lease of an id by a process that has none.
fn id_lease(setup: Setup) -> local::Function {
    let setup = Mutex::new(setup);
    Arc::new(move |_| {
        let ids = Ids::new(&setup.lock().unwrap());
        Box::pin(async move {
            match ids.next().await {
                Ok(id) => answer(&id.to_string()),
                Err(_) => failed(),
            }
        })
    })
}

/// The use of a proof of work, as each login with a proof makes it.
fn proof_spending(proofs: SpentProofs) -> local::Function {
    Arc::new(move |challenge| {
        let proofs = proofs.clone();
        Box::pin(async move {
            match proofs.spend(&challenge, SystemClock.now().seconds()).await {
                Ok(true) => answer("spent"),
                Ok(false) => answer("refused"),
                Err(_) => failed(),
            }
        })
    })
}

/// The steps of `accounts import` for one row: read the account, compare it, and write it.
fn row_import(operator: Operator, start: Value) -> local::Function {
    Arc::new(move |event| {
        let (operator, start) = (operator.clone(), start.clone());
        Box::pin(async move {
            let event: Value = serde_json::from_str(&event).unwrap();
            match import(&operator, start, &event).await {
                Ok(message) => answer(message),
                Err(_) => failed(),
            }
        })
    })
}

async fn import(operator: &Operator, mut start: Value, event: &Value) -> Result<&'static str, shared::Fault> {
    let email = Email::parse(event["email"].as_str().unwrap()).unwrap_or_else(|_| panic!("an address"));
    let id = event["id"].as_u64().unwrap();
    start["name"] = json!({"S": event["name"]});
    let key = AccountKey::of(&email);
    let (mut found, _) = operator.accounts(std::slice::from_ref(&key), &[]).await?;
    let found = found.pop().flatten();
    if found.as_ref().is_some_and(|found| found.account.id != id) {
        return Ok("taken");
    }
    let mut new = match &found {
        Some(found) => found.clone(),
        None => Profile::read(journeys::rows::from_json(&start))?,
    };
    (new.account.id, new.account.email, new.account.key) = (id, email, key);
    new.account.name = event["name"].as_str().unwrap().to_owned();
    if found.is_none() {
        new.account.browsers.clear();
        new.account.browsers_since = None;
    }
    new.imported = None;
    let (run, digest) = ("run".to_owned(), new.account.digest(new.created_at)?);
    new.imported = Some(Imported { run, digest: Some(digest), generation: new.account.generation });
    let Some(found) = found else {
        return Ok(if operator.insert(&new).await? == Inserted::Yes { "created" } else { "taken" });
    };
    if !found.is_untouched()? {
        return Ok("left");
    }
    Ok(if operator.replace(&found, &new).await? { "updated" } else { "left" })
}

/// Marks an account as just written by an import.
pub(crate) fn mark_imported(profile: &mut Value) {
    let digest = Profile::read(journeys::rows::from_json(profile))
        .and_then(|profile| profile.account.digest(profile.created_at));
    profile["import_run"] = json!({"S": "run"});
    profile["import_digest"] = json!({"S": digest.unwrap_or_else(|_| panic!("the profile can be read"))});
    profile["import_generation"] = profile["generation"].clone();
}

/// The stream's event for a kind of change that `notices` handles.
pub(crate) fn record(kind: Kind, subject: &Subject) -> String {
    let now = &subject.profile;
    let mut before = now.clone();
    let (old, new) = match kind {
        Kind::NoticePassword => {
            before["generation"] = json!({"N": "0"});
            before["password"] = json!({"S": "$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA"});
            (Some(before), Some(now))
        }
        Kind::NoticeDeletion => {
            before["id"] = json!({"N": subject.former_id().to_string()});
            before["profile_id"] = before["id"].clone();
            (Some(before), None)
        }
        _ => (None, Some(now)),
    };
    let mut parts = json!({
        "Keys": {"pk": {"S": subject.pk}, "sk": {"S": "profile"}},
        "SequenceNumber": "1",
        "ApproximateCreationDateTime": SystemClock.now().seconds(),
    });
    if let Some(old) = old {
        parts["OldImage"] = old;
    }
    if let Some(new) = new {
        parts["NewImage"] = new.clone();
    }
    let record = json!({"eventID": format!("event-{}-{}", kind.name(), subject.id), "dynamodb": parts});
    json!({"Records": [record]}).to_string()
}
