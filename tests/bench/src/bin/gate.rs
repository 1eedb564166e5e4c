//! `make gate`: instructions at start and of a warm call, and calls to other services, of every function, against
//! `tests/bench/record.json`. More than 3 % worse fails; `RECORD=write` writes what was measured. `ONLY` measures
//! the functions that it names, separated by commas.
//!
//! The table answers over plain HTTP, since what TLS makes of random numbers would differ from run to run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use bench::callgrind::{self, Run};
use bench::identity::Identity;
use bench::record::{self, Cost, Record, Verdict};
use bench::rows::Hash;
use bench::scenario::{self, Scenario};
use bench::table::Table;
use bench::{Outcome, stopwatch};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Requests before the counting starts, so that what only the first ones need is not in it.
const BEFORE: u32 = 20;
/// Requests that are counted.
const COUNTED: u32 = 100;
/// Measurements of what seems worse, and of a run in which a function failed.
const TRIES: usize = 3;
/// The file of record.
const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/record.json");

/// The records of this project, by architecture.
type Records = BTreeMap<String, Record>;

#[tokio::main]
async fn main() -> ExitCode {
    let outcome = tokio::select! {
        outcome = gate() => outcome,
        // What was started ends with the run that holds it.
        _ = tokio::signal::ctrl_c() => Err("stopped".into()),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn gate() -> Outcome<bool> {
    let binaries = PathBuf::from(std::env::var_os("BINARIES").ok_or("BINARIES must name a folder: run `make gate`")?);
    let made_with = std::env::var("MADE_WITH").unwrap_or_default();
    let only = std::env::var("ONLY").unwrap_or_default();
    let wanted = |name: &str| only.is_empty() || only.split(',').any(|wanted| name == wanted);
    let mut measured = Record { made_with, functions: measure(&binaries, wanted).await? };
    let mut records: Records = serde_json::from_slice(&std::fs::read(RECORD).unwrap_or_else(|_| b"{}".to_vec()))?;
    let recorded = records.entry(std::env::consts::ARCH.to_owned()).or_default();
    if std::env::var("RECORD").is_ok_and(|what| what == "write") {
        recorded.made_with = measured.made_with;
        recorded.functions.retain(|name, _| !wanted(name));
        recorded.functions.extend(measured.functions);
        std::fs::write(RECORD, serde_json::to_string_pretty(&records)? + "\n")?;
        println!("\nwritten to tests/bench/record.json");
        return Ok(true);
    }
    recorded.functions.retain(|name, _| wanted(name));
    // On a machine that is busy enough, a call under valgrind may come too late and be made again. What is really
    // worse stays so.
    for _ in 1..TRIES {
        let worse = record::compare(recorded, &measured).worse();
        let again = |name: &str| worse.contains(name) && recorded.functions.contains_key(name);
        if !worse.iter().any(|name| again(name)) {
            break;
        }
        println!("\nonce more, for what seems worse");
        measured.functions.extend(measure(&binaries, again).await?);
    }
    if recorded.made_with != measured.made_with {
        println!("\nrecorded with {}\nmeasured with {}", recorded.made_with, measured.made_with);
    }
    let comparison = record::compare(recorded, &measured);
    match comparison.verdict() {
        Verdict::Same => println!("\nas recorded"),
        Verdict::Better => {
            println!("\n{comparison}\nbetter than recorded: run `make gate RECORD=write`, commit the record");
        }
        Verdict::Worse => println!(
            "\n{comparison}\nFind out what costs more. If it is worth its price, run `make gate RECORD=write` and commit \
             the record with the reason."
        ),
    }
    Ok(comparison.verdict() != Verdict::Worse)
}

/// Measures all functions, as many at once as there are processors.
async fn measure(binaries: &Path, wanted: impl Fn(&str) -> bool) -> Outcome<BTreeMap<String, Cost>> {
    let identity = Identity::new()?;
    let keys = Arc::new(identity.key_set());
    let mut scenarios = scenario::all(&identity, Hash::Light)?;
    scenarios.retain(|scenario| wanted(scenario.name));
    let work = std::env::temp_dir().join(format!("gate-{}", std::process::id()));
    std::fs::create_dir_all(&work)?;
    let processors = Arc::new(Semaphore::new(std::thread::available_parallelism().map_or(1, usize::from)));
    let total = scenarios.len();
    let started = stopwatch::now();
    let mut running = JoinSet::new();
    for scenario in scenarios {
        let (keys, processors) = (Arc::clone(&keys), Arc::clone(&processors));
        let (binaries, work) = (binaries.to_path_buf(), work.clone());
        running.spawn(async move {
            let _processor = processors.acquire().await?;
            let cost = cost(&scenario, &keys, &binaries, &work).await?;
            Ok::<_, Box<dyn std::error::Error + Send + Sync>>((scenario.name, cost))
        });
    }
    println!(
        "{:10}{:<22} {:>12} {:>12}  other services at start; of 100 calls",
        "", "instructions:", "start", "a call"
    );
    let mut costs = BTreeMap::new();
    while let Some(done) = running.join_next().await {
        let (name, cost) = done??;
        let Cost { start, call, calls_at_start, calls_of_100 } = &cost;
        let (at_start, calls) = (listed(calls_at_start), listed(calls_of_100));
        let seconds = stopwatch::now().saturating_duration_since(started).as_secs();
        let done = costs.len() + 1;
        println!("{done:>2}/{total}{seconds:>3}s {name:<22} {start:>12} {call:>12}  {at_start}; {calls}");
        costs.insert(name.to_owned(), cost);
    }
    std::fs::remove_dir_all(&work)?;
    Ok(costs)
}

/// Three runs: until the first event could come, and with two numbers of requests, whose difference is what one costs.
async fn cost(scenario: &Scenario, keys: &Value, binaries: &Path, work: &Path) -> Outcome<Cost> {
    let file = scenario.without_hash(binaries);
    let log = work.join(format!("{}.log", scenario.name));
    let once = async |file: &Path, requests: u32| {
        let table = Table::start(&scenario.answers, keys, None).await?;
        callgrind::run(scenario.program(vec![file.into()], &table), scenario, &table, requests, &log).await
    };
    // The functions' own deadlines are short under valgrind.
    let run = async |file: &Path, requests: u32| {
        let mut outcome = once(file, requests).await;
        for _ in 1..TRIES {
            if outcome.is_err() {
                outcome = once(file, requests).await;
            }
        }
        outcome
    };
    let start: Run = run(&file, 0).await?;
    let fewer: Run = run(&file, BEFORE).await?;
    let more: Run = run(&file, BEFORE + COUNTED).await?;
    let calls = more.count.calls.into_iter().map(|(operation, calls)| {
        let before = fewer.count.calls.get(&operation).copied().unwrap_or_default();
        (operation, calls.saturating_sub(before))
    });
    Ok(Cost {
        start: start.instructions,
        calls_at_start: start.count.calls,
        call: more.instructions.saturating_sub(fewer.instructions) / u64::from(COUNTED),
        calls_of_100: calls.filter(|(_, calls)| *calls > 0).collect(),
    })
}

fn listed(calls: &BTreeMap<String, u64>) -> String {
    let calls: Vec<_> = calls.iter().map(|(operation, times)| format!("{times} {operation}")).collect();
    if calls.is_empty() { "none".to_owned() } else { calls.join(", ") }
}
