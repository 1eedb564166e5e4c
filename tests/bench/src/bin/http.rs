//! `make bench-http`: starts the services in turn, measures them, and writes the document.
//!
//! Settings: ROUNDS, REQUESTS, REPORT (the document; the chart stands beside it), PROFILE (that of this service's build),
//! ONLY (of the others, those whose names begin so).

use std::path::Path;
use std::process::ExitCode;

use bench::Outcome;
use bench::http::keys::{AUDIENCE, Provider};
use bench::http::picture;
use bench::http::report::{self, Run};
use bench::http::round;
use bench::http::running::free_ports;
use bench::http::service::{Place, Service};
use bench::http::services;
use bench::http::summary::Entry;
use bench::machine;
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match stoppable().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

/// Runs until it is done or told to stop; what was started ends with it either way.
async fn stoppable() -> Outcome<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        outcome = run() => outcome,
        _ = interrupt.recv() => Err("stopped".into()),
        _ = terminate.recv() => Err("stopped".into()),
    }
}

async fn run() -> Outcome<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let installed = root.join("target/bench/http");
    let built = root.join("target").join(setting("PROFILE", "release".to_owned())?);
    let document = root.join(setting("REPORT", "docs/bench-http.md".to_owned())?);
    let (rounds, requests) = (setting("ROUNDS", 5)?, setting("REQUESTS", 100)?);
    let only = setting("ONLY", String::new())?;
    let on = machine::describe();
    let provider = Provider::start().await?;

    // This service always takes part: the others' figures are told beside its own.
    let all = services::all().into_iter().enumerate();
    let chosen = all.filter(|(number, service)| *number == 0 || service.name().starts_with(&only));
    let chosen: Vec<Box<dyn Service>> = chosen.map(|(_, service)| service).collect();
    let place = |number: usize| -> Outcome<Place> {
        let work = installed.join("work").join(number.to_string());
        if work.exists() {
            std::fs::remove_dir_all(&work)?;
        }
        std::fs::create_dir_all(&work)?;
        let (port, second_port) = free_ports()?;
        Ok(Place {
            root: root.clone(),
            installed: installed.clone(),
            work,
            built: built.clone(),
            keys_url: provider.keys_url(),
            certificates_url: provider.certificates_url(),
            audience: AUDIENCE.to_owned(),
            port,
            second_port,
        })
    };
    let mut entries = Vec::new();
    for (number, service) in chosen.iter().enumerate() {
        let version = service.version(&place(number)?)?;
        eprintln!("{} {version}", service.name());
        entries.push(Entry { name: service.name(), version, remarks: service.remarks(), turns: Vec::new() });
    }
    for round in 1..=rounds {
        for (number, (service, entry)) in chosen.iter().zip(&mut entries).enumerate() {
            let progress = |step: &str| eprintln!("round {round} of {rounds}: {}: {step}", service.name());
            entry.turns.push(round::run(service.as_ref(), &place(number)?, &provider, requests, &progress).await?);
        }
    }
    write(&document.with_extension("svg"), &picture::chart(&on, &entries).svg())?;
    write(&document, &report::markdown(&Run { on, rounds, requests }, &entries))
}

fn write(path: &Path, text: &str) -> Outcome<()> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    eprintln!("written: {}", path.display());
    Ok(())
}

/// A setting, or what it is unless it is set.
fn setting<T: std::str::FromStr>(name: &str, default: T) -> Outcome<T> {
    match std::env::var(name) {
        Err(_) => Ok(default),
        Ok(text) if text.is_empty() => Ok(default),
        Ok(text) => text.parse().map_err(|_| format!("{name} is \"{text}\": it takes another kind of value").into()),
    }
}
