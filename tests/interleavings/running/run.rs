//! One run of a schedule: a process for each request, a gate that holds the calls of each process, and the order in
//! which these calls proceed.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::pin::Pin;
use std::sync::Arc;

use journeys::{Embedded, Fate, Gate, HeldCall};
use serde_json::{Value, json};
use shared::system::clock::{Clock, SystemClock};

use crate::accounts::Accounts;
use crate::case::{Case, Start, Who};
use crate::judging::judge::is_unclear;
use crate::kinds::Kind;
use crate::running::actors::{LaneClock, Process, TIME_PASSES};
use crate::running::explore::{PAUSE, Step};
use crate::running::names::Names;
use crate::subject::Subject;

/// The operations that change nothing.
const READS: [&str; 3] = ["BatchGetItem", "GetItem", "Query"];
/// The longest time that a call may be held, in milliseconds. It is shorter than the SDK's timeout for an attempt, 2
/// seconds.
const HELD_MAX: u64 = 1_200;
/// How often a run is repeated if a call was held for longer because the machine was too slow.
const TRIES: u32 = 50;

/// A call that a run has let through, and the alternatives at that point.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub(crate) step: Step,
    pub(crate) operation: String,
    /// The body of the call.
    pub(crate) asked: Value,
    /// Whether the service has carried it out.
    pub(crate) is_done: bool,
    /// The steps that were possible.
    pub(crate) possible: Vec<Step>,
}

/// A finished run.
pub(crate) struct Run {
    pub(crate) points: Vec<Point>,
    /// The answers of the functions.
    pub(crate) answers: Vec<Value>,
    /// The pairs of requests of which the first was answered before the first call of the second.
    pub(crate) before: BTreeSet<(Who, Who)>,
    pub(crate) rows: Vec<Value>,
    pub(crate) names: Names,
    pub(crate) subject: Subject,
    /// The time of the service at the end, in seconds.
    pub(crate) now: u64,
}

/// How a run ended.
pub(crate) enum End {
    Finished(Box<Run>),
    /// It reached a known state.
    Known(Vec<Point>),
    /// A step of the schedule was not possible.
    Impossible,
}

/// The processes in front of the engine.
pub(crate) struct Lane {
    accounts: Arc<Accounts>,
    clock: Arc<LaneClock>,
    processes: Vec<Process>,
}

type Answering = Pin<Box<dyn Future<Output = String> + Send>>;

/// A waiting call, and the time since when it waits.
type Waiting = (HeldCall, u64);

/// A request during a run.
#[derive(Default)]
struct Request {
    /// Its task; `None` before its start and after its answer.
    task: Option<Answering>,
    is_started: bool,
    /// The number of calls and answers to wait for before the next step is chosen.
    awaited: usize,
    /// Its calls, in the order of their operations.
    held: Vec<Waiting>,
    answer: Option<Value>,
    /// What it has seen: its calls and their answers, with names in place of random values.
    seen: Vec<Value>,
}

/// A call was held for so long that its client may have given up.
struct HeldTooLong;

/// Decides how a run continues after the steps of its schedule.
pub(crate) trait Guide: Send {
    /// Whether the run ends because the state is known. `is_faulty` is true if a fault came before.
    fn is_known(&self, _state: u64, _is_faulty: bool) -> bool {
        false
    }

    /// Learns the states of a run that has ended. Those of a run that is repeated stay unknown, or the repeated run would
    /// end at the first of them.
    fn reach(&mut self, _states: Vec<(u64, bool)>) {}

    /// The next step; by default the first possible one.
    fn choose(&mut self, possible: &[Step]) -> Option<Step> {
        possible.first().copied()
    }

    /// Whether the run may have at most one fault.
    fn allows_one_fault(&self) -> bool {
        true
    }
}

/// A run that continues in the order of the requests.
pub(crate) struct InRequestOrder {
    pub(crate) allows_one_fault: bool,
}

impl Guide for InRequestOrder {
    fn allows_one_fault(&self) -> bool {
        self.allows_one_fault
    }
}

impl Lane {
    /// Starts processes for this many requests.
    pub(crate) async fn start(stack: &Embedded, accounts: Arc<Accounts>, requests: usize) -> Self {
        let clock = Arc::new(LaneClock::default());
        let mut processes = Vec::new();
        for _ in 0..requests {
            processes.push(Process::start(stack, &accounts, &clock).await);
        }
        Self { accounts, clock, processes }
    }

    /// Runs a schedule, and continues as the guide decides. The guide sees each state after the schedule.
    pub(crate) async fn run(&self, case: &Case, schedule: &[Step], guide: &mut dyn Guide) -> End {
        for tried in 0..TRIES {
            // Something else may keep the machine busy for a while.
            tokio::time::sleep(PAUSE * tried.min(20)).await;
            if let Ok((end, reached)) = self.attempt(case, schedule, guide).await {
                guide.reach(reached);
                return end;
            }
        }
        panic!("{}: a call was held for too long in {TRIES} runs", case.name());
    }

    #[expect(clippy::too_many_lines, reason = "one loop over the steps of a run, whose variables all of it needs")]
    async fn attempt(
        &self,
        case: &Case,
        schedule: &[Step],
        guide: &mut dyn Guide,
    ) -> Result<(End, Vec<(u64, bool)>), HeldTooLong> {
        self.clock.reset();
        for process in &self.processes {
            // These calls are left over from a run that was repeated.
            process.gate.clear().await;
        }
        let subject = self.accounts.create(case).await;
        let mut names = Names::of(&subject);
        let mut requests: Vec<Request> = case.whos().map(|_| Request::default()).collect();
        // If the case moves the clock, a request is started just before its first call. Otherwise it would read the
        // clock too early.
        let is_timed = case.some(Kind::is_clock);
        if !is_timed {
            for who in case.whos() {
                self.begin(case, who, &subject, &mut requests[who as usize]);
            }
        }
        let (mut points, mut entries, mut before, mut rows, mut reached) =
            (Vec::<Point>::new(), BTreeSet::new(), BTreeSet::new(), None, Vec::new());
        loop {
            for who in case.whos() {
                requests[who as usize].advance(self.gate(who)).await;
            }
            let index = points.len();
            let is_faulty = points.iter().any(|point| point.step.fate != Fate::Done);
            let possible = possible(&requests, is_faulty && guide.allows_one_fault());
            if possible.is_empty() {
                break;
            }
            if index >= schedule.len() {
                if rows.is_none() {
                    rows = Some(self.normal_rows(case, &subject, &entries, &mut names).await);
                }
                // What the further course of the run and its verdict depend on.
                let mut state = DefaultHasher::new();
                (&rows, &before).hash(&mut state);
                let seen = requests.iter().zip(case.whos());
                seen.for_each(|(request, who)| request.hash_seen(is_unclear(&points, who), &mut state));
                let state = state.finish();
                if guide.is_known(state, is_faulty) {
                    self.drain(requests).await;
                    return Ok((End::Known(points), reached));
                }
                reached.push((state, is_faulty));
            }
            let step = schedule.get(index).copied().or_else(|| guide.choose(&possible));
            let Some(step) = step.filter(|step| possible.contains(step)) else {
                self.drain(requests).await;
                return Ok((End::Impossible, reached));
            };
            let who = step.who;
            if !requests[who as usize].is_started {
                self.begin(case, who, &subject, &mut requests[who as usize]);
                requests[who as usize].advance(self.gate(who)).await;
            }
            if points.iter().all(|point| point.step.who != who) {
                let is_answered = |other: &Who| requests[*other as usize].answer.is_some();
                before.extend(case.whos().filter(is_answered).map(|other| (other, who)));
            }
            let request = &mut requests[who as usize];
            if step.call >= request.held.len() {
                return Err(HeldTooLong);
            }
            let (held, since) = request.held.remove(step.call);
            let operation = held.operation.clone();
            entries.extend(new_entries(&held.asked));
            let body = held.asked.clone();
            let asked = if operation == "SendEmail" { Value::Null } else { names.normal(&held.asked, Some(who)) };
            let beside = self.gate(who).clear().await;
            let oldest = request.held.iter().map(|(_, since)| *since).fold(since, u64::min);
            if beside > 0 && now().saturating_sub(oldest) > HELD_MAX {
                // The client retries a call that was held for too long.
                return Err(HeldTooLong);
            }
            assert_eq!(beside, 0, "{}: more calls at the same time than the kind says", case.name());
            let answer = held.go_on(step.fate).await.ok_or(HeldTooLong)?;
            let is_done = matches!(step.fate, Fate::Done | Fate::Lost) && answer.get("__type").is_none();
            points.push(Point { step, operation: operation.clone(), asked: body, is_done, possible });
            if now().saturating_sub(since) > HELD_MAX {
                return Err(HeldTooLong);
            }
            let writes = !READS.contains(&&*operation);
            if writes {
                rows = None;
            }
            // While another of its calls is held, the request continues in two cases only. After a fault, it retries
            // the call or fails. If the count is full of failed logins that are too old, it replaces it.
            let is_replaced = case.start == Start::ExpiredFailures && answer.get("__type").is_some();
            request.awaited = usize::from(request.held.is_empty() || step.fate != Fate::Done || is_replaced);
            if operation == TIME_PASSES {
                // The deletions of all expired rows wait at the same time.
                request.awaited = answer["expired"].as_u64().and_then(|rows| rows.try_into().ok()).unwrap_or(1).max(1);
            }
            match step.fate {
                Fate::Done | Fate::Refused => {
                    let told = names.normal(&answer, None);
                    let fate = format!("{:?}", step.fate);
                    request.seen.push(json!({"call": operation, "asked": asked, "fate": fate, "told": told}));
                }
                Fate::Lost | Fate::Conflict if writes => {
                    request.seen.push(json!({"call": operation, "fate": format!("{:?}", step.fate)}));
                }
                Fate::Lost | Fate::Conflict => {}
            }
        }
        let entries: Vec<String> = entries.into_iter().collect();
        let rows = self.accounts.rows(&subject, case.may_be_linked(), &entries).await;
        let answers = requests.into_iter().map(|request| request.answer.unwrap_or_default()).collect();
        let now = self.clock.now().seconds();
        Ok((End::Finished(Box::new(Run { points, answers, before, rows, names, subject, now })), reached))
    }

    fn gate(&self, who: Who) -> &Gate {
        &self.processes[who as usize].gate
    }

    /// Starts a request.
    fn begin(&self, case: &Case, who: Who, subject: &Subject, request: &mut Request) {
        let kind = case.kind(who);
        self.gate(who).hold_counter(kind == Kind::Lease);
        request.task = Some(self.processes[who as usize].function(kind)(kind.event(who, subject)));
        request.is_started = true;
        request.awaited = kind.calls_at_first();
    }

    /// The rows, with names in place of random values.
    async fn normal_rows(
        &self,
        case: &Case,
        subject: &Subject,
        entries: &BTreeSet<String>,
        names: &mut Names,
    ) -> Value {
        let entries: Vec<String> = entries.iter().cloned().collect();
        let rows = self.accounts.rows(subject, case.may_be_linked(), &entries).await;
        names.normal(&Value::Array(rows), None)
    }

    /// Ends the requests of a run that is no longer needed, by refusing all further calls.
    async fn drain(&self, requests: Vec<Request>) {
        for (mut request, process) in requests.into_iter().zip(&self.processes) {
            while request.answer.is_none() && request.is_started {
                for (held, _) in request.held.drain(..) {
                    drop(held.go_on(Fate::Refused).await);
                }
                request.awaited = 1;
                request.advance(&process.gate).await;
            }
        }
    }
}

/// The time, in milliseconds.
fn now() -> u64 {
    SystemClock.now().milliseconds()
}

impl Request {
    /// Waits until the request has answered, or until all its current calls are held.
    async fn advance(&mut self, gate: &Gate) {
        while self.awaited > 0 {
            let Some(task) = &mut self.task else { return };
            self.awaited -= 1;
            tokio::select! {
                answer = task => {
                    self.answer = Some(serde_json::from_str(&answer).unwrap());
                    self.task = None;
                    self.held.clear();
                    self.awaited = 0;
                }
                held = gate.next() => self.held.push((held, now())),
            }
        }
        self.held.sort_by(|(one, _), (other, _)| one.operation.cmp(&other.operation));
    }

    /// Hashes its part of a state. `is_unclear` says whether it may not have recognised the first attempt of a repeated
    /// write.
    fn hash_seen(&self, is_unclear: bool, state: &mut DefaultHasher) {
        let waiting: Vec<&str> = self.held.iter().map(|(held, _)| held.operation.as_str()).collect();
        (self.is_started, &self.seen, waiting, self.answer.is_some(), is_unclear).hash(state);
    }
}

/// The possible steps, those without a fault first.
fn possible(requests: &[Request], without_faults: bool) -> Vec<Step> {
    let (mut steps, mut faulty) = (Vec::new(), Vec::new());
    for (who, request) in Who::ALL.into_iter().zip(requests) {
        if !request.is_started {
            steps.push(Step { who, call: 0, fate: Fate::Done });
        }
        for (call, (held, _)) in request.held.iter().enumerate() {
            steps.push(Step { who, call, fate: Fate::Done });
            // A lost answer to a read changes nothing: the SDK reads again, in the same state.
            let fates: &[Fate] = match held.operation.as_str() {
                "SendEmail" => &[Fate::Lost, Fate::Refused],
                TIME_PASSES | "TtlDeletes" => &[],
                read if READS.contains(&read) => &[Fate::Refused],
                _ => &[Fate::Lost, Fate::Refused, Fate::Conflict],
            };
            faulty.extend(fates.iter().map(|fate| Step { who, call, fate: *fate }));
        }
    }
    if !without_faults {
        steps.extend(faulty);
    }
    steps
}

/// The ids of the entries that a call writes.
fn new_entries(asked: &Value) -> Vec<String> {
    let parts = asked["TransactItems"].as_array().into_iter().flatten().map(|item| &item["Put"]);
    let puts = parts.chain([asked]);
    let puts = puts.filter(|put| put["TableName"] == "entries").map(|put| &put["Item"]);
    let batch = asked["RequestItems"]["entries"].as_array().into_iter().flatten();
    let all = puts.chain(batch.map(|write| &write["PutRequest"]["Item"]));
    all.filter_map(|item| Some(item["id"]["S"].as_str()?.to_owned())).collect()
}
