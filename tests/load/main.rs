//! A load test: many users work on one stack, and the test checks that no acknowledged write is lost and that memory
//! does not grow.
//!
//! `scripts/measure/load` starts the stack and passes its address.

#![cfg(test)]
#![expect(clippy::disallowed_methods, reason = "the test measures time")]

mod books;
mod entries;
mod memory;
mod people;

use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{env, fs, mem};

use journeys::{Service, paths};
use tokio::time::{Instant, sleep};

use crate::books::{Books, Standing};
use crate::memory::{Sample, growth, own_kib};

/// The interval between two samples of the stack's memory.
const SAMPLE_EVERY: Duration = Duration::from_millis(250);
/// The pause after a failed journey. Without it, a stack that has ended would cause thousands of failures.
const PAUSE: Duration = Duration::from_secs(1);
/// The greatest allowed growth of the stack's memory, in bytes per answer. The tables are in it: about a quarter of the answers
/// leave an item, such as the activity of a login. A leak of 2 KiB per request is more.
const GROWTH_MAX: u64 = 1536;
/// How many faults are printed. All of them are counted.
const SHOWN_MAX: usize = 20;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a separate stack: run make load"]
async fn under_load_every_request_is_answered_nothing_is_lost_and_memory_does_not_grow() {
    let setting = |name: &str| env::var(name).unwrap_or_else(|_| panic!("{name} is missing: run make load"));
    let number = |name: &str| -> u64 { setting(name).parse().unwrap_or_else(|_| panic!("{name} must be a number")) };
    let (service, stack) = (Service::at(&setting("BASE_URL")), setting("STACK_PID"));
    let (seconds, users) = (number("LOAD_SECONDS"), number("USERS"));
    let books = Arc::<Mutex<Books>>::default();
    let locked = || books.lock().unwrap_or_else(PoisonError::into_inner);

    let end = Instant::now() + Duration::from_secs(seconds);
    let crowd = (0..users).map(|_| tokio::spawn(run_journeys(service.clone(), Arc::clone(&books), end)));
    let crowd: Vec<_> = crowd.collect();
    let mut samples = Vec::new();
    while Instant::now() < end {
        samples.extend(own_kib(&stack).map(|own_kib| Sample { own_kib, answers: locked().answers() }));
        sleep(SAMPLE_EVERY).await;
    }
    let mut failed = Vec::new();
    for people in crowd {
        failed.extend(people.await.unwrap());
    }

    println!("Reading back what was acknowledged");
    let books = mem::take(&mut *locked());
    let lost = books.read_back(&service, &setting("DYNAMODB_URL")).await;
    let growth = growth(&samples);
    let grows = growth.is_none_or(|growth| growth > GROWTH_MAX);
    let grows = grows.then(|| format!("memory grows by {growth:?} bytes per answer, more than {GROWTH_MAX}"));
    // The stack is not its own captcha provider.
    let called = paths::ALL.iter().filter(|path| **path != paths::CAPTCHA);
    let never = called.filter(|path| !books.times.contains_key(*path));
    let never = never.map(|path| format!("{path} was never called: run longer"));
    let faults: Vec<String> = grows.into_iter().chain(never).chain(failed).chain(lost).collect();

    let report = report(&books, &samples, faults.len(), &setting("RUN_ON"));
    println!("{report}");
    fs::write(setting("REPORT"), report).unwrap();
    let shown = faults.iter().take(SHOWN_MAX).map(|fault| format!("\n{fault}"));
    assert!(faults.is_empty(), "{} faults:{}", faults.len(), shown.collect::<String>());
}

/// Runs one journey after the other until the end. Returns the errors of those that failed.
async fn run_journeys(service: Service, books: Arc<Mutex<Books>>, end: Instant) -> Vec<String> {
    let mut failed = Vec::new();
    while Instant::now() < end {
        let journey = tokio::spawn(people::journey(service.clone(), Arc::clone(&books)));
        if let Err(error) = journey.await {
            failed.push(error.to_string());
            sleep(PAUSE).await;
        }
    }
    failed
}

/// The results of the run as Markdown.
fn report(books: &Books, samples: &[Sample], faults: usize, run_on: &str) -> String {
    let mut text = format!(
        "# Load\n\nMade by {run_on}. Each user sends the next request as soon as the last one is answered. The users share \
         the processors with the stack, so the times include waiting for a processor.\n\n\
         | Path | requests | p50 ms | p95 ms | p99 ms | slowest ms |\n|---|---:|---:|---:|---:|---:|\n"
    );
    for (path, times) in &books.times {
        let quantiles = [0.5, 0.95, 0.99, 1.0].map(|quantile| times.value_at_quantile(quantile));
        let milliseconds = quantiles.map(|value| format!("{:.1}", Duration::from_micros(value).as_secs_f64() * 1e3));
        let _ = writeln!(text, "| `{path}` | {} | {} |", times.len(), milliseconds.join(" | "));
    }
    let mib = [samples.get(samples.len() / 3), samples.last()].map(|sample| sample.map_or(0, |it| it.own_kib / 1024));
    let [early, late] = mib;
    let Books { accounts, entries, writes, .. } = books;
    let checked = accounts.values().filter(|standing| !matches!(standing, Standing::Open)).count();
    let acknowledged = entries.values().filter(|is_acknowledged| **is_acknowledged).count();
    let _ = write!(
        text,
        "\n{} requests, {faults} faults. Read back at the end, after {writes} acknowledged writes: {checked} accounts, each with all \
         its fields or deleted, and {acknowledged} entries, each stored once. The stack's own memory: {early} MiB after the warm-up, {late} MiB at the \
         end.\n",
        books.answers(),
    );
    text
}
