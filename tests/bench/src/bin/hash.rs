//! `make bench-hash`: Argon2id as the service makes it beside what else there is, in turn, and `docs/hash.md` of it: the
//! first hash, the middle one, and the slowest, which tells whether memory ever stalls one.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use argon2_rust::params::{Memory, TagLen};
use bench::rows::{Hash, PASSWORD};
use bench::{Outcome, machine, measure, stopwatch};
use zeroize::Zeroize;

/// Hashes of each.
const ROUNDS: usize = 1000;
const HASH_BYTES: usize = 32;
const SALT: [u8; 16] = [7; 16];

/// One way to hash.
type Way = Box<dyn FnMut() -> Outcome<[u8; HASH_BYTES]>>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome<()> {
    let machine = machine::describe();
    let mut ways = ways()?;
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); ways.len()];
    let mut hash = None;
    for round in 1..=ROUNDS {
        for ((name, way), times) in ways.iter_mut().zip(&mut times) {
            let start = stopwatch::now();
            let made = way()?;
            times.push(stopwatch::now().saturating_duration_since(start));
            if *hash.get_or_insert(made) != made {
                return Err(format!("{name} hashes otherwise").into());
            }
        }
        if round % 100 == 0 {
            println!("round {round} of {ROUNDS}");
        }
    }
    let page = page(&machine, &ways, &times).ok_or("nothing was measured")?;
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/hash.md");
    std::fs::write(docs, &page)?;
    println!("{page}");
    Ok(())
}

fn page(machine: &str, ways: &[(&str, Way)], times: &[Vec<Duration>]) -> Option<String> {
    let (memory, passes) = Hash::Full.cost();
    let mut page = format!(
        "# The hash beside others\n\nMade by `make bench-hash` on {machine}. {ROUNDS} hashes each of {memory} KiB, {passes} \
         passes, one lane, in turn, in one process; milliseconds of time, in brackets the multiple of the first row's. The hashes are \
         compared. *Kept* memory is that of the hash before, and one hash has been made in it before the first; *own* memory is asked for \
         and given back by each. The C reference is in [bench.md](bench.md): Node's `argon2` and Python's `argon2-cffi` are made of it.\n\n\
         | | first | median | 99 of 100 | slowest | over twice the median |\n|---|---:|---:|---:|---:|---:|\n"
    );
    let mut ours = None;
    for ((name, _), times) in ways.iter().zip(times) {
        let mut sorted = times.clone();
        sorted.sort_unstable();
        let median = measure::median(times.iter().copied())?;
        let figures = [*times.first()?, median, *sorted.get(ROUNDS * 99 / 100)?, *sorted.last()?];
        let first_row = *ours.get_or_insert(figures);
        let cells = figures.iter().zip(first_row).map(|(figure, first)| {
            format!("{:.2} ({:.2})", figure.as_secs_f64() * 1e3, figure.as_secs_f64() / first.as_secs_f64())
        });
        let stalled = times.iter().filter(|time| **time > median * 2).count();
        let _ = writeln!(page, "| {name} | {} | {stalled} |", cells.collect::<Vec<_>>().join(" | "));
    }
    Some(page)
}

/// All ways, the service's first.
fn ways() -> Outcome<Vec<(&'static str, Way)>> {
    let (password, (memory, passes)) = (PASSWORD.as_bytes(), Hash::Full.cost());
    let ours = argon2_rust::Params::builder()
        .memory(Memory::kib(u64::from(memory)))
        .passes(passes)
        .lanes(1)
        .threads(1)
        .tag_len(TagLen::bytes(HASH_BYTES as u64))
        .build()?;
    let ours = argon2_rust::Argon2::new(argon2_rust::Algorithm::Argon2id, argon2_rust::Version::V0x13, ours);
    let mut hasher = ours.hasher();
    hasher.hash_into(password, &SALT, &mut [0; HASH_BYTES])?;
    let params = argon2::Params::new(memory, passes, 1, None).map_err(|error| error.to_string())?;
    let other = argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, params);
    let again = other.clone();
    let mut blocks = vec![argon2::Block::default(); memory as usize];
    Ok(vec![
        (
            "argon2-rust, kept memory: this service on x86-64",
            Box::new(move || {
                let mut hash = [0; HASH_BYTES];
                hasher.hash_into(password, &SALT, &mut hash)?;
                Ok(hash)
            }),
        ),
        (
            "argon2-rust, own memory",
            Box::new(move || {
                let mut hash = [0; HASH_BYTES];
                ours.hash_into(password, &SALT, &mut hash)?;
                Ok(hash)
            }),
        ),
        (
            "RustCrypto's argon2, kept and wiped memory: this service elsewhere",
            Box::new(move || {
                let mut hash = [0; HASH_BYTES];
                let done = other.hash_password_into_with_memory(password, &SALT, &mut hash, &mut blocks);
                blocks.iter_mut().for_each(Zeroize::zeroize);
                done.map_err(|error| error.to_string())?;
                Ok(hash)
            }),
        ),
        (
            "RustCrypto's argon2, own memory",
            Box::new(move || {
                let mut hash = [0; HASH_BYTES];
                again.hash_password_into(password, &SALT, &mut hash).map_err(|error| error.to_string())?;
                Ok(hash)
            }),
        ),
    ])
}
