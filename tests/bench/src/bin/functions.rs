//! `make bench`: compares this login with an empty function and with other implementations that do the same work. It
//! prints a table. `ROUNDS` is the number of starts of each program. No row is a login with a passkey, because no peer has
//! one.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use bench::lambda::{Function, Program};
use bench::rows::Hash;
use bench::scenario::{self, LIGHT, Scenario};
use bench::table::{Certificate, Table};
use bench::{Outcome, binary, median};
use stand_ins::Signer;

/// The number of starts of each program, unless `ROUNDS` is set.
const ROUNDS: usize = 15;
/// The number of calls after each start that are not measured.
const BEFORE: u32 = 100;
/// The number of measured calls, if a call computes no password hash of full cost.
const CALLS: u32 = 1000;
/// The same, if it computes one.
const CALLS_HASHING: u32 = 100;
const COLUMNS: [&str; 5] =
    ["spawn → ready, ms", "spawn → first answer, ms", "CPU to first answer, ms", "CPU of a warm call, ms", "RSS, MB"];

/// A program that is measured.
struct Variant {
    name: String,
    scenario: Scenario,
    program: Program,
    calls: u32,
    /// The stand-in for its services, which runs until it is dropped.
    _table: Table,
    /// The measured columns of each round.
    rounds: Vec<[f64; COLUMNS.len()]>,
}

#[tokio::main]
async fn main() -> ExitCode {
    let outcome = tokio::select! {
        outcome = bench() => outcome,
        // Dropping the other future ends all functions that it has started.
        _ = tokio::signal::ctrl_c() => Err("stopped".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn bench() -> Outcome<()> {
    let rounds = std::env::var("ROUNDS").ok().filter(|rounds| !rounds.is_empty());
    let rounds = rounds.map_or(Ok(ROUNDS), |rounds| {
        let number = rounds.parse().ok().filter(|number| *number > 0);
        number.ok_or_else(|| format!("ROUNDS must be a number from 1, not {rounds}"))
    })?;
    let mut variants = variants().await?;
    for round in 1..=rounds {
        for variant in &mut variants {
            eprintln!("round {round} of {rounds}: {}", variant.name);
            let measured = measure(variant).await.map_err(|error| format!("{}: {error}", variant.name))?;
            variant.rounds.push(measured);
        }
    }
    println!("| | {} |\n|---|{}", COLUMNS.join(" | "), "---:|".repeat(COLUMNS.len()));
    for Variant { name, rounds, .. } in variants {
        let column = |column: usize| median(rounds.iter().filter_map(|round| round.get(column).copied()).collect());
        let medians = (0..COLUMNS.len()).map(|index| format!("{:.2}", column(index)));
        println!("| {name} | {} |", medians.collect::<Vec<_>>().join(" | "));
    }
    Ok(())
}

/// Starts the program once and measures its answers.
#[expect(clippy::cast_precision_loss, reason = "only two decimals of the megabytes are shown")]
async fn measure(variant: &Variant) -> Outcome<[f64; COLUMNS.len()]> {
    let Variant { scenario, program, calls, .. } = variant;
    let mut function = Function::spawn(program).await?;
    let answered = function.succeed(scenario).await?;
    let (first, ready) = (function.usage()?.cpu, function.ready().await?);
    for _ in 0..BEFORE {
        function.succeed(scenario).await?;
    }
    let before = function.usage()?.cpu;
    for _ in 0..*calls {
        function.succeed(scenario).await?;
    }
    let after = function.usage()?;
    function.end().await?;
    let call = after.cpu.saturating_sub(before) / *calls;
    let [ready, answered, first, call] = [ready, answered, first, call].map(|time: Duration| time.as_secs_f64() * 1e3);
    Ok([ready, answered, first, call, after.peak_rss as f64 / 1e6])
}

/// All programs, in the order of the table.
async fn variants() -> Outcome<Vec<Variant>> {
    let path = |name: &str| -> Outcome<PathBuf> {
        Ok(std::env::var_os(name).ok_or_else(|| format!("{name} must name a path: run `make bench`"))?.into())
    };
    let (functions, peers) = (path("BINARIES")?, path("PEERS")?);
    let node = |name: &str| Ok::<_, Box<dyn std::error::Error + Send + Sync>>(vec![path("NODE")?, peers.join(name)]);
    let (signer, certificate) = (Signer::first()?, Certificate::new()?);
    let trusted = peers.join("trusted.pem");
    std::fs::write(&trusted, &certificate.pem)?;
    let mut variants = vec![("an empty function", scenario::hello()?, vec![peers.join("hello")], "")];
    for (hash, suffix) in [(Hash::Light, ", without the hash"), (Hash::Full, "")] {
        let ours = if hash == Hash::Light { LIGHT } else { "login" };
        for (name, command) in [
            ("this login", vec![binary(&functions, ours)]),
            ("Rust, as tutorials do", vec![peers.join("tutorial")]),
            ("Node, @node-rs/argon2", node("node-rs.mjs")?),
            ("Node, argon2", node("argon2.mjs")?),
            ("Python, argon2-cffi", vec![path("PYTHON")?, "-m".into(), "awslambdaric".into(), "login.handler".into()]),
        ] {
            variants.push((name, scenario::login(&signer, hash)?, command, suffix));
        }
    }
    let mut all = Vec::new();
    for (name, scenario, command, suffix) in variants {
        let table = Table::start(&scenario.answers, &signer.key_set(), Some(&certificate)).await?;
        let mut program = scenario.program(command, &table)?;
        // Each client reads the trusted certificate from another variable.
        let trusting = ["AWS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"].map(|name| (name, trusted.clone()));
        let settings = trusting.into_iter().chain([("PYTHONPATH", peers.clone())]);
        program.environment.extend(settings.map(|(name, path)| (name.to_owned(), path.display().to_string())));
        let calls = if scenario.hashes && suffix.is_empty() { CALLS_HASHING } else { CALLS };
        let name = format!("{name}{suffix}");
        all.push(Variant { name, scenario, program, calls, _table: table, rounds: Vec::new() });
    }
    Ok(all)
}
