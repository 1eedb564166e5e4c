//! `make bench`: the floor, our functions and peers of our login, in turn, and `docs/bench.md` of what was seen.
//! `ROUNDS` starts each variant that often; `ONLY` leaves out all whose name does not hold it, and writes nothing.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bench::identity::Identity;
use bench::measure::{self, Cold, Warm, median};
use bench::report::{Report, Row};
use bench::rows::Hash;
use bench::tls::Authority;
use bench::variants::{self, Places, Variant};
use bench::{Outcome, machine, stopwatch};

/// Starts of each variant, unless told otherwise.
const ROUNDS: usize = 15;
/// Runs with many calls; a few are enough, for each is a mean already.
const WARM_ROUNDS: usize = 3;
/// Calls that count as first.
const FIRST: u32 = 100;
/// Calls that follow where they are short, and where each hashes.
const LATER: u32 = 2900;
const LATER_HASHING: u32 = 200;

#[tokio::main]
async fn main() -> ExitCode {
    let outcome = tokio::select! {
        outcome = bench() => outcome,
        // What was started ends with the run that holds it.
        _ = tokio::signal::ctrl_c() => Err("stopped; nothing was written".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\n{error}");
            ExitCode::FAILURE
        }
    }
}

async fn bench() -> Outcome<()> {
    let rounds: usize = match std::env::var("ROUNDS") {
        Ok(text) if !text.is_empty() => text.parse().map_err(|_| "ROUNDS must be a number")?,
        _ => ROUNDS,
    };
    let only = std::env::var("ONLY").unwrap_or_default();
    let machine = machine::describe();
    let work = std::env::temp_dir().join(format!("bench-{}", std::process::id()));
    std::fs::create_dir_all(&work)?;
    let places = Places {
        functions: folder("BINARIES")?,
        zips: folder("ZIPS")?,
        peers: folder("PEERS")?,
        work: work.clone(),
        node: folder("NODE")?,
        python: folder("PYTHON")?,
    };
    let (identity, authority) = (Identity::new()?, Authority::new()?);
    let mut variants = variants::all(&places, &identity, &authority).await?;
    variants.retain(|variant| variant.name.contains(&only));

    let started = stopwatch::now();
    let progress = |text: &str| {
        let seconds = stopwatch::now().saturating_duration_since(started).as_secs();
        println!("{seconds:>5} s  {text}");
        std::io::stdout().flush()
    };
    progress(&format!("{} variants answer as they should?", variants.len()))?;
    for variant in &variants {
        cold(variant).await?;
    }
    let mut colds: Vec<Vec<Cold>> = vec![Vec::new(); variants.len()];
    for round in 1..=rounds {
        for (variant, colds) in variants.iter().zip(&mut colds) {
            colds.push(cold(variant).await?);
        }
        progress(&format!("starts, round {round} of {rounds}"))?;
    }
    let mut warms: Vec<Vec<Warm>> = vec![Vec::new(); variants.len()];
    for round in 1..=WARM_ROUNDS {
        for (variant, warms) in variants.iter().zip(&mut warms) {
            let later = if variant.hash == Some(Hash::Full) { LATER_HASHING } else { LATER };
            let Variant { program, scenario, table, .. } = variant;
            warms.push(measure::warm(program, scenario, table, FIRST, later).await.map_err(named(variant))?);
            progress(&format!("warm calls, round {round} of {WARM_ROUNDS}: {}", variant.name))?;
        }
    }
    std::fs::remove_dir_all(&work)?;

    let rows = variants.into_iter().zip(colds.iter().zip(&warms));
    let rows = rows.filter_map(|(variant, (colds, warms))| {
        let Variant { name, kind, hash, zip, .. } = variant;
        Some(Row { name, kind, hash, zip, cold: middle_cold(colds)?, warm: middle_warm(warms)? })
    });
    let runs = format!(
        "Medians of {rounds} starts and of {WARM_ROUNDS} runs with {FIRST} calls and {LATER} later ones \
         ({LATER_HASHING} where each hashes)."
    );
    let report = Report { rows: rows.collect(), machine, versions: versions(&places), runs };
    let page = report.markdown();
    if !only.is_empty() {
        println!("{page}");
        return Ok(());
    }
    let docs = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs"));
    std::fs::write(docs.join("bench.md"), page)?;
    std::fs::write(docs.join("bench.svg"), report.chart().svg())?;
    progress("written to docs/bench.md and docs/bench.svg")?;
    Ok(())
}

async fn cold(variant: &Variant) -> Outcome<Cold> {
    Ok(measure::cold(&variant.program, &variant.scenario).await.map_err(named(variant))?)
}

fn named(variant: &Variant) -> impl Fn(Box<dyn std::error::Error + Send + Sync>) -> String {
    move |error| format!("{}: {error}", variant.name)
}

fn middle_cold(colds: &[Cold]) -> Option<Cold> {
    Some(Cold {
        ready: median(colds.iter().map(|cold| cold.ready))?,
        answered: median(colds.iter().map(|cold| cold.answered))?,
        cpu: median(colds.iter().map(|cold| cold.cpu))?,
    })
}

fn middle_warm(warms: &[Warm]) -> Option<Warm> {
    Some(Warm {
        first: median(warms.iter().map(|warm| warm.first))?,
        later: median(warms.iter().map(|warm| warm.later))?,
        peak_rss: median(warms.iter().map(|warm| warm.peak_rss))?,
        calls_of_100: median(warms.iter().map(|warm| warm.calls_of_100))?,
    })
}

fn folder(name: &str) -> Outcome<PathBuf> {
    Ok(std::env::var_os(name).ok_or_else(|| format!("{name} must name a path: run `make bench`"))?.into())
}

/// What the variants are made of, from the lock files and the programs themselves.
fn versions(places: &Places) -> String {
    let node = places.node.display().to_string();
    let python = places.python.display().to_string();
    let mut text = format!(
        "{}; Node {}; {}",
        machine::version("rustc", &["--version"]),
        machine::version(&node, &["--version"]),
        machine::version(&python, &["--version"]),
    );
    for (name, version) in pinned() {
        let _ = write!(text, "; {name} {version}");
    }
    text + "."
}

/// The packages of the peers that their manifests name.
fn pinned() -> Vec<(String, String)> {
    let node = include_str!("../../peers/node/package.json");
    let rust = include_str!("../../peers/rust/Cargo.toml");
    let python = include_str!("../../../../infra/tools/peers.lock");
    let quoted = |line: &str| -> Option<(String, String)> {
        let mut parts = line.split('"').skip(1).step_by(2);
        Some((parts.next()?.to_owned(), parts.next()?.to_owned()))
    };
    let npm = node.lines().filter(|line| line.contains("argon2\"") || line.contains("@aws-sdk")).filter_map(quoted);
    let crates = rust.lines().filter_map(|line| {
        let (name, value) = line.split_once(" = ")?;
        let wanted = ["argon2", "aws-config", "aws-sdk-dynamodb", "lambda_http"].contains(&name);
        let version = value.split_once("\"=")?.1.split('"').next()?;
        wanted.then(|| (name.to_owned(), version.to_owned()))
    });
    let pip = python.lines().filter_map(|line| {
        let (name, version) = line.split_once("==")?;
        let wanted = ["argon2-cffi", "awslambdaric", "boto3"].contains(&name);
        wanted.then(|| (name.to_owned(), version.trim_end_matches(" \\").to_owned()))
    });
    crates.chain(npm).chain(pip).collect()
}
