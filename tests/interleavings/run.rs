//! One run of a schedule: two processes, a gate in front of each, and the order in which their calls go on.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::pin::Pin;
use std::str::FromStr;
use std::sync::Arc;

use journeys::{Embedded, Fate, Gate, Held};
use serde_json::Value;
use shared::system::clock::{Clock, SystemClock};

use crate::accounts::{Accounts, Subject};
use crate::kinds::{Kind, Pair, Who};
use crate::names::Names;

/// The operations that change nothing.
const READS: [&str; 3] = ["BatchGetItem", "GetItem", "Query"];
/// The longest time that a call may be held. It is shorter than the SDK's timeout for an attempt, 2 seconds. In milliseconds.
const HELD_MAX: u64 = 1_200;
/// How often a run is repeated in which a call was held for longer, because the machine was too slow.
const TRIES: usize = 50;

/// Whose call goes on next, and what becomes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Step {
    pub(crate) who: Who,
    pub(crate) fate: Fate,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fate = match self.fate {
            Fate::Done => "",
            Fate::Lost => ":lost",
            Fate::Refused => ":refused",
            Fate::Conflict => ":conflict",
        };
        write!(f, "{}{fate}", self.who.letter())
    }
}

impl FromStr for Step {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (who, fate) = text.split_once(':').unwrap_or((text, ""));
        let who = Who::BOTH.into_iter().find(|each| each.letter().to_string() == who);
        let fate = match fate {
            "" => Fate::Done,
            "lost" => Fate::Lost,
            "refused" => Fate::Refused,
            "conflict" => Fate::Conflict,
            other => return Err(format!("{other:?} is no fate of a call")),
        };
        Ok(Self { who: who.ok_or_else(|| format!("{text:?} is no step"))?, fate })
    }
}

/// A process with all functions.
struct Process {
    gate: Gate,
    functions: BTreeMap<&'static str, local::Function>,
}

impl Process {
    async fn start(stack: &Embedded) -> Self {
        let gate = Gate::start(stack.dynamodb_url()).await;
        let setup = stack.setup(&[
            ("AWS_ENDPOINT_URL_DYNAMODB", gate.url()),
            ("AWS_ENDPOINT_URL_SESV2", gate.url()),
            ("NOTICES", "on"),
        ]);
        let routes = |path: &str| stack.template().routes().find(|route| route.path == path).unwrap();
        let paths: BTreeSet<&str> = Kind::ALL.iter().map(|kind| kind.path()).collect();
        let start = |path| (path, local::start_function(&routes(path).function, &setup).unwrap());
        Self { gate, functions: paths.into_iter().map(start).collect() }
    }
}

/// A call that a run has let go on, or a choice that it had.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub(crate) step: Step,
    /// The steps that were possible.
    pub(crate) possible: Vec<Step>,
}

/// A finished run.
pub(crate) struct Run {
    pub(crate) points: Vec<Point>,
    /// The answers, as the functions gave them.
    pub(crate) answers: [Value; 2],
    /// The requests whose answer came before the other's first call went on.
    pub(crate) first: Option<Who>,
    pub(crate) rows: Vec<Value>,
    pub(crate) names: Names,
    pub(crate) subject: Subject,
}

/// How a run ended.
pub(crate) enum End {
    Finished(Box<Run>),
    /// It reached a state that is known.
    Known(Vec<Point>),
    /// A step of the schedule was not possible.
    Impossible,
}

/// Two processes in front of the engine.
pub(crate) struct Lane {
    accounts: Arc<Accounts>,
    processes: [Process; 2],
}

type Answering = Pin<Box<dyn Future<Output = String> + Send>>;

/// A request during a run.
#[derive(Default)]
struct Request {
    task: Option<Answering>,
    /// Its call, and since when it is held.
    held: Option<(Held, u64)>,
    answer: Option<Value>,
    /// What it has seen.
    seen: Vec<String>,
}

/// A client gave up while its call was held, or may have.
struct GaveUp;

impl Lane {
    pub(crate) async fn start(stack: &Embedded, accounts: Arc<Accounts>) -> Self {
        Self { accounts, processes: [Process::start(stack).await, Process::start(stack).await] }
    }

    /// Runs a schedule. Further calls go on in the order of the requests. Each state after the schedule is given to
    /// `is_known`, with whether a fault has come before; the run ends early if it is known.
    pub(crate) async fn run(
        &self,
        pair: Pair,
        schedule: &[Step],
        is_known: &mut (dyn FnMut(u64, bool) -> bool + Send),
    ) -> End {
        for _ in 0..TRIES {
            if let Ok(end) = self.attempt(pair, schedule, is_known).await {
                return end;
            }
        }
        panic!("{}: a call was held for too long in {TRIES} runs", pair.name());
    }

    async fn attempt(
        &self,
        pair: Pair,
        schedule: &[Step],
        is_known: &mut (dyn FnMut(u64, bool) -> bool + Send),
    ) -> Result<End, GaveUp> {
        for process in &self.processes {
            // Calls of a run that was given up.
            process.gate.clear().await;
        }
        let subject = self.accounts.create(pair.start).await;
        let mut names = Names::of(&subject, &self.accounts.profile);
        let mut requests = Who::BOTH.map(|who| {
            let function = &self.processes[who as usize].functions[pair.kind(who).path()];
            Request { task: Some(function(pair.kind(who).event(who, &subject))), ..Request::default() }
        });
        let (mut points, mut entries, mut first) = (Vec::<Point>::new(), BTreeSet::new(), None);
        let has_identity = pair.may_be_linked();
        let mut rows = None;
        loop {
            for who in Who::BOTH {
                requests[who as usize].advance(&self.processes[who as usize].gate).await;
            }
            let place = points.len();
            let faulty = points.iter().any(|point| point.step.fate != Fate::Done);
            let possible = possible(&requests, faulty);
            let Some(&default) = possible.first() else { break };
            if place >= schedule.len() && rows.is_none() {
                let list: Vec<String> = entries.iter().cloned().collect();
                rows = Some(
                    names
                        .normal(&Value::Array(self.accounts.rows(&subject, has_identity, &list).await), None)
                        .to_string(),
                );
            }
            let state = state(&requests, rows.as_deref());
            let step = schedule.get(place).copied().unwrap_or(default);
            if !possible.contains(&step) {
                self.drain(requests).await;
                return Ok(End::Impossible);
            }
            let request = &mut requests[step.who as usize];
            let Some((held, since)) = request.held.take() else { return Err(GaveUp) };
            let operation = held.operation.clone();
            if place >= schedule.len() && is_known(state, faulty) {
                request.held = Some((held, since));
                self.drain(requests).await;
                return Ok(End::Known(points));
            }
            points.push(Point { step, possible });
            entries.extend(new_entries(&held.asked));
            let asked = if operation == "SendEmail" { Value::Null } else { names.normal(&held.asked, Some(step.who)) };
            let beside = self.processes[step.who as usize].gate.clear().await;
            assert_eq!(beside, 0, "{}: two calls of one request at the same time", pair.name());
            let answer = held.go_on(step.fate).await.ok_or(GaveUp)?;
            if now().saturating_sub(since) > HELD_MAX {
                return Err(GaveUp);
            }
            let writes = !READS.contains(&&*operation);
            if writes {
                rows = None;
            }
            match step.fate {
                Fate::Done | Fate::Refused => {
                    let told = names.normal(&answer, None);
                    request.seen.push(format!("{operation} {asked} {:?} {told}", step.fate));
                }
                Fate::Lost | Fate::Conflict if writes => request.seen.push(format!("{:?}", step.fate)),
                Fate::Lost | Fate::Conflict => {}
            }
            requests[step.who as usize].advance(&self.processes[step.who as usize].gate).await;
            let other = step.who.other();
            let answered = requests[step.who as usize].answer.is_some();
            if answered && points.iter().all(|point| point.step.who != other) {
                first = Some(step.who);
            }
        }
        let entries: Vec<String> = entries.into_iter().collect();
        let rows = self.accounts.rows(&subject, has_identity, &entries).await;
        let answers = requests.map(|request| request.answer.unwrap_or_default());
        Ok(End::Finished(Box::new(Run { points, answers, first, rows, names, subject })))
    }

    /// Ends the requests of a run that nobody needs, by refusing all further calls.
    async fn drain(&self, mut requests: [Request; 2]) {
        for who in Who::BOTH {
            let request = &mut requests[who as usize];
            while request.answer.is_none() {
                if let Some((held, _)) = request.held.take() {
                    drop(held.go_on(Fate::Refused).await);
                }
                request.advance(&self.processes[who as usize].gate).await;
            }
        }
    }
}

/// The time, in milliseconds.
fn now() -> u64 {
    SystemClock.now().milliseconds()
}

impl Request {
    /// Waits until the request has answered or its next call is held.
    async fn advance(&mut self, gate: &Gate) {
        if self.held.is_some() {
            return;
        }
        let Some(task) = &mut self.task else { return };
        tokio::select! {
            answer = task => {
                self.answer = Some(serde_json::from_str(&answer).unwrap());
                self.task = None;
            }
            held = gate.next() => self.held = Some((held, now())),
        }
    }
}

/// The steps that are possible: without a fault first, and only one fault in a schedule.
fn possible(requests: &[Request; 2], faulty: bool) -> Vec<Step> {
    let waiting = Who::BOTH.into_iter().filter_map(|who| Some((who, &requests[who as usize].held.as_ref()?.0)));
    let waiting: Vec<_> = waiting.collect();
    let mut steps: Vec<Step> = waiting.iter().map(|(who, _)| Step { who: *who, fate: Fate::Done }).collect();
    if faulty {
        return steps;
    }
    for (who, held) in waiting {
        // A read whose answer is lost changes nothing: the SDK reads again, in the state before.
        let fates: &[Fate] = match held.operation.as_str() {
            "SendEmail" => &[Fate::Lost, Fate::Refused],
            read if READS.contains(&read) => &[Fate::Refused],
            _ => &[Fate::Lost, Fate::Refused, Fate::Conflict],
        };
        steps.extend(fates.iter().map(|fate| Step { who, fate: *fate }));
    }
    steps
}

/// The state: the rows, and what each request has seen.
fn state(requests: &[Request; 2], rows: Option<&str>) -> u64 {
    let mut hasher = DefaultHasher::new();
    rows.hash(&mut hasher);
    for request in requests {
        (&request.seen, request.answer.is_some()).hash(&mut hasher);
    }
    hasher.finish()
}

/// The ids of the entries that a call writes.
fn new_entries(asked: &Value) -> Vec<String> {
    let puts = asked["TransactItems"].as_array().into_iter().flatten().map(|item| &item["Put"]);
    let puts = puts.filter(|put| put["TableName"] == "entries").map(|put| &put["Item"]);
    let batch = asked["RequestItems"]["entries"].as_array().into_iter().flatten();
    let all = puts.chain(batch.map(|write| &write["PutRequest"]["Item"]));
    all.filter_map(|item| Some(item["id"]["S"].as_str()?.to_owned())).collect()
}
