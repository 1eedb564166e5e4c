//! `make load`: a mixed load on a stack that runs elsewhere, and whether the service kept all that it promised.
//!
//! `scripts/measure/load` starts the stack and says by `BASE_URL`, `DYNAMODB_URL` and `STACK_PID` where it is. Fails on a 5xx,
//! a request without an answer, an unexpected answer, a lost write, or memory that grows.

mod account;
mod contract;
mod journeys;
mod ledger;
mod memory;
mod read_back;
mod report;
mod visit;

use std::process::ExitCode;
use std::{env, fs, mem};

use goose::GooseAttack;
use goose::config::GooseConfiguration;

use crate::ledger::LEDGER;
use crate::memory::{Course, processor_seconds};
use crate::report::Report;

/// Bytes that the stack may gain steadily for each answer: half of a leak of 2 KiB a request.
const GROWTH_MAX: u64 = 1024;
/// What shells say of a process that a Ctrl-C has ended.
const INTERRUPTED: u8 = 130;

/// What `scripts/measure/load` says.
struct Settings {
    base_url: String,
    dynamodb_url: String,
    stack: String,
    seconds: u64,
    users: usize,
    report: String,
    run_on: String,
}

impl Settings {
    fn from_environment() -> Result<Self, String> {
        let variable = |name: &str| {
            let value = env::var(name).ok().filter(|value| !value.is_empty());
            value.ok_or_else(|| format!("{name} is missing: start this by make load"))
        };
        let number = |name: &str, from: u32| {
            let value = variable(name)?;
            let number = value.parse::<u32>().ok().filter(|number| *number >= from);
            number.ok_or_else(|| format!("{name} is \"{value}\": it takes a whole number from {from}"))
        };
        Ok(Self {
            base_url: variable("BASE_URL")?,
            dynamodb_url: variable("DYNAMODB_URL")?,
            stack: variable("STACK_PID")?,
            seconds: number("LOAD_SECONDS", 5)?.into(),
            users: usize::try_from(number("USERS", 1)?).unwrap_or(1),
            report: variable("REPORT")?,
            run_on: variable("RUN_ON")?,
        })
    }

    fn goose(&self) -> GooseConfiguration {
        let mut goose = GooseConfiguration::default();
        goose.host = Some(self.base_url.clone());
        goose.users = Some(self.users);
        // All of them within the first second.
        goose.increase_rate = Some(self.users.to_string());
        goose.run_time = Some(format!("{}s", self.seconds));
        goose.no_telnet = true;
        goose.no_print_metrics = true;
        goose.quiet = 2;
        goose
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    Box::pin(run()).await.unwrap_or_else(|reason| {
        eprintln!("{reason}");
        ExitCode::FAILURE
    })
}

async fn run() -> Result<ExitCode, String> {
    let settings = Settings::from_environment()?;
    let watch = tokio::spawn(memory::watch(settings.stack.clone(), settings.seconds));
    let attack = GooseAttack::initialize_with_config(settings.goose())
        .and_then(|attack| Ok(attack.register_scenario(journeys::scenario()?)));
    let attack = attack.map_err(|error| error.to_string())?;
    let before = processor_seconds(&settings.stack).zip(processor_seconds("self"));
    let metrics = Box::pin(attack.execute()).await.map_err(|error| error.to_string())?;
    if goose::is_killswitch_triggered() {
        println!("Stopped: nothing was read back, and there is no report");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let after = processor_seconds(&settings.stack).zip(processor_seconds("self"));
    let samples = watch.await.map_err(|error| error.to_string())?;

    println!("Reading back what was acknowledged");
    let books = mem::take(&mut *LEDGER.books());
    let verdict = read_back::read_back(&settings.base_url, &settings.dynamodb_url, &books).await?;
    for failure in books.failures.iter().chain(&verdict.shown) {
        eprintln!("{failure}");
    }
    let report = Report {
        run_on: settings.run_on,
        seconds: settings.seconds,
        users: settings.users,
        metrics,
        writes: LEDGER.writes(),
        failed: LEDGER.failed(),
        verdict,
        course: Course::of(&samples),
        growth_max: GROWTH_MAX,
        processors: busy(before, after, settings.seconds),
    };
    let markdown = report.markdown();
    println!("\n{markdown}");
    fs::write(&settings.report, markdown).map_err(|error| format!("{}: {error}", settings.report))?;
    let faults = report.faults();
    for fault in &faults {
        eprintln!("FAILED: {fault}");
    }
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Processors that were busy on average; zero where `/proc` did not say.
fn busy(before: Option<(f64, f64)>, after: Option<(f64, f64)>, seconds: u64) -> (f64, f64) {
    let seconds = f64::from(u32::try_from(seconds).unwrap_or(u32::MAX));
    before
        .zip(after)
        .map_or((0.0, 0.0), |(before, after)| ((after.0 - before.0) / seconds, (after.1 - before.1) / seconds))
}
