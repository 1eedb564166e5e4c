//! `make gate`: counts each function's instructions at start and in a warm call, its calls to other services, and the bytes
//! of its zip. It compares them with `tests/bench/record.json`. It fails if the instructions or the bytes are more than 3 %
//! above the record, if a zip has more than 3 MB, if the calls differ, or if something is missing in one of the two.
//!
//! - `RECORD=write` writes the measured counts to the record.
//! - `ONLY` is a list of scenarios, separated by commas. Only these are measured.
//! - `PROFILES` is a folder for callgrind's profiles. If it is set, nothing is compared.
//!
//! The table answers over plain HTTP. The instructions of TLS depend on random numbers and would differ between runs.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use bench::Outcome;
use bench::lambda::Function;
use bench::record::{Cost, Record, compare};
use bench::rows::Hash;
use bench::scenario::{self, Scenario};
use bench::table::{Calls, Table};
use serde_json::Value;
use stand_ins::Signer;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// The number of requests before the counted ones. They include the work that only the first requests of a process
/// cause.
const BEFORE: u32 = 20;
/// The number of counted requests.
const COUNTED: u32 = 100;
/// The maximum number of measurements of a function that seems worse or has failed.
const TRIES: usize = 3;
/// The path of the record.
const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/record.json");

/// The records by architecture.
type Records = BTreeMap<String, Record>;

#[tokio::main]
async fn main() -> ExitCode {
    let outcome = tokio::select! {
        outcome = gate() => outcome,
        // Dropping the other future ends all functions that it has started.
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
    let setting = |name: &str| std::env::var(name).unwrap_or_default();
    let binaries = PathBuf::from(std::env::var_os("BINARIES").ok_or("BINARIES must name a folder: run `make gate`")?);
    let only = setting("ONLY");
    let wanted = |name: &str| only.is_empty() || only.split(',').any(|wanted| name == wanted);
    let scenarios = measure(&binaries, wanted).await?;
    if !setting("PROFILES").is_empty() {
        return Ok(true);
    }
    let zips = zips(Path::new(&setting("ZIPS")), wanted)?;
    let mut measured = Record { made_with: setting("MADE_WITH"), scenarios, zips };
    let mut records: Records = serde_json::from_slice(&std::fs::read(RECORD).unwrap_or_else(|_| b"{}".to_vec()))?;
    let recorded = records.entry(std::env::consts::ARCH.to_owned()).or_default();
    if setting("RECORD") == "write" {
        recorded.made_with = measured.made_with;
        recorded.scenarios.retain(|name, _| !wanted(name));
        recorded.scenarios.extend(measured.scenarios);
        recorded.zips.retain(|name, _| !wanted(name));
        recorded.zips.extend(measured.zips);
        std::fs::write(RECORD, serde_json::to_string_pretty(&records)? + "\n")?;
        println!("\nwritten to tests/bench/record.json");
        return Ok(true);
    }
    recorded.scenarios.retain(|name, _| wanted(name));
    recorded.zips.retain(|name, _| wanted(name));
    // On a busy machine, a call under valgrind may miss its deadline and be retried. A real regression shows again.
    for _ in 1..TRIES {
        let worse = compare(recorded, &measured).into_iter().filter(|it| it.is_worse).map(|it| it.name);
        let again: BTreeSet<String> = worse.filter(|name| recorded.scenarios.contains_key(name)).collect();
        if again.is_empty() {
            break;
        }
        println!("\nmeasuring again what seems worse");
        measured.scenarios.extend(measure(&binaries, |name| again.contains(name)).await?);
    }
    if recorded.made_with != measured.made_with {
        println!("\nrecorded with {}\nmeasured with {}", recorded.made_with, measured.made_with);
    }
    let differences = compare(recorded, &measured);
    println!();
    for difference in &differences {
        println!("{difference}");
    }
    let is_worse = differences.iter().any(|difference| difference.is_worse);
    println!(
        "{}",
        match (differences.is_empty(), is_worse) {
            (true, _) => "as recorded",
            (false, false) => "better than recorded: run `make gate RECORD=write` and commit the record",
            (false, true) =>
                "Find out what costs more. If the higher cost is justified, run `make gate RECORD=write` and commit \
                 the record with the reason.",
        }
    );
    Ok(!is_worse)
}

/// The bytes of the wanted functions' zips in a folder of `make build`.
fn zips(folder: &Path, wanted: impl Fn(&str) -> bool) -> Outcome<BTreeMap<String, u64>> {
    let functions = std::fs::read_dir(folder).map_err(|error| format!("ZIPS must name a folder: {error}"))?;
    let mut zips = BTreeMap::new();
    for function in functions {
        let function = function?;
        let name = function.file_name().to_string_lossy().into_owned();
        if wanted(&name) {
            zips.insert(name, function.path().join("bootstrap.zip").metadata()?.len());
        }
    }
    Ok(zips)
}

/// Measures the wanted scenarios, as many at once as there are processors.
async fn measure(binaries: &Path, wanted: impl Fn(&str) -> bool) -> Outcome<BTreeMap<String, Cost>> {
    let signer = Signer::first()?;
    let keys = Arc::new(signer.key_set());
    let mut scenarios = scenario::all(&signer, Hash::Light)?;
    scenarios.retain(|scenario| wanted(scenario.name));
    let work = std::env::temp_dir().join(format!("gate-{}", std::process::id()));
    std::fs::create_dir_all(&work)?;
    let processors = Arc::new(Semaphore::new(std::thread::available_parallelism().map_or(1, usize::from)));
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
        "{:<22} {:>12} {:>12}  calls to other services at start; per 100 requests",
        "instructions:", "start", "a call"
    );
    let mut costs = BTreeMap::new();
    while let Some(done) = running.join_next().await {
        let (name, cost) = done??;
        let Cost { start, call, calls_at_start, calls_per_100_requests } = &cost;
        println!("{name:<22} {start:>12} {call:>12}  {calls_at_start:?}; {calls_per_100_requests:?}");
        costs.insert(name.to_owned(), cost);
    }
    std::fs::remove_dir_all(&work)?;
    Ok(costs)
}

/// Measures a function in three runs: one without requests, and two with different numbers of requests. The difference
/// of the last two is the cost of the requests.
async fn cost(scenario: &Scenario, keys: &Value, binaries: &Path, work: &Path) -> Outcome<Cost> {
    // A failed run is repeated, because a function under valgrind may miss its own deadlines.
    let run = async |requests: u32| {
        let mut outcome = run(scenario, keys, binaries, work, requests).await;
        for _ in 1..TRIES {
            if outcome.is_err() {
                outcome = run(scenario, keys, binaries, work, requests).await;
            }
        }
        outcome
    };
    let (start, calls_at_start) = run(0).await?;
    let (fewer, before) = run(BEFORE).await?;
    let (more, calls) = run(BEFORE + COUNTED).await?;
    let calls = calls.into_iter().map(|(operation, calls)| {
        let before = before.get(&operation).copied().unwrap_or_default();
        (operation, calls.saturating_sub(before))
    });
    let calls_per_100_requests = calls.filter(|(_, calls)| *calls > 0).collect();
    Ok(Cost { start, calls_at_start, call: more.saturating_sub(fewer) / u64::from(COUNTED), calls_per_100_requests })
}

/// Runs a function under callgrind until it has answered this many requests and is idle. Returns all instructions of
/// the process and its calls to the services. They depend on the load of the machine only if a call misses its
/// deadline.
async fn run(scenario: &Scenario, keys: &Value, binaries: &Path, work: &Path, requests: u32) -> Outcome<(u64, Calls)> {
    let table = Table::start(&scenario.answers, keys, None).await?;
    let log = work.join(format!("{}.log", scenario.name));
    let profile = match std::env::var_os("PROFILES").filter(|folder| !folder.is_empty()) {
        Some(folder) => Path::new(&folder).join(format!("{}-{requests}.callgrind", scenario.name)),
        None => "/dev/null".into(),
    };
    let option = |name: &str, file: &Path| {
        let mut option = OsString::from(name);
        option.push(file);
        PathBuf::from(option)
    };
    let program = scenario.program(
        vec![
            "valgrind".into(),
            "--tool=callgrind".into(),
            option("--callgrind-out-file=", &profile),
            option("--log-file=", &log),
            scenario.without_hash(binaries),
        ],
        &table,
    )?;
    let mut function = Function::spawn(&program).await?;
    function.ready().await?;
    for _ in 0..requests {
        function.succeed(scenario).await?;
    }
    function.until_idle().await?;
    function.end().await?;
    let said = std::fs::read_to_string(&log)?;
    let collected = said.lines().find_map(|line| line.split_once("Collected : ")?.1.split(' ').next()?.parse().ok());
    Ok((collected.ok_or_else(|| format!("valgrind did not count: {said}"))?, table.calls()))
}
