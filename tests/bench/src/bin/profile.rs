//! `make profile`: where the instructions of a warm login go, without its hash, into `docs/profile.md`. `BINARY` is
//! `light` with symbols.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bench::identity::Identity;
use bench::rows::Hash;
use bench::table::Table;
use bench::{Outcome, callgrind, machine, profile, scenario};

/// Requests before those that are counted.
const BEFORE: u32 = 20;
/// Requests that are counted.
const COUNTED: u32 = 100;
/// Functions that are listed by name.
const LISTED: usize = 12;
/// The page.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/profile.md");

#[tokio::main]
async fn main() -> ExitCode {
    match written().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn written() -> Outcome<()> {
    let binary = PathBuf::from(std::env::var_os("BINARY").ok_or("BINARY must name a binary: run `make profile`")?);
    let [fewer, more] = [measured(&binary, BEFORE).await?, measured(&binary, BEFORE + COUNTED).await?];
    let fewer = profile::by_function(&fewer);
    let costs = profile::by_function(&more).into_iter().map(|(function, cost)| {
        let before = fewer.get(&function).copied().unwrap_or_default();
        let cost = cost.saturating_sub(before) / u64::from(COUNTED);
        (function, cost)
    });
    let costs = costs.collect();
    let total: u64 = profile::by_area(&costs).values().sum();
    let mut areas: Vec<_> = profile::by_area(&costs).into_iter().map(|(area, cost)| (area.to_owned(), cost)).collect();
    areas.sort_by_key(|(_, cost)| std::cmp::Reverse(*cost));
    let mut functions: Vec<_> = costs.into_iter().collect();
    functions.sort_by_key(|(_, cost)| std::cmp::Reverse(*cost));
    functions.truncate(LISTED);
    let page = format!(
        "# A warm login, by what its instructions are for\n\n\
         Made by `make profile` ({}, {}): {COUNTED} logins of the right password, two calls to the table each, {total} \
         instructions a login. The hash is Argon2 at its least. Valgrind's processor has no instructions for SHA-256, \
         which Lambda's have: there, signing takes a fraction of this. The gate's binaries, which cargo-lambda \
         builds, take less; this one has symbols.\n\n\
         | What for | Instructions | Share |\n|---|---:|---:|\n{}\n\
         The dearest functions, each without what it calls:\n\n| Function | Instructions | Share |\n|---|---:|---:|\n{}",
        machine::version("rustc", &["--version"]),
        machine::version("valgrind", &["--version"]),
        rows(&areas, total),
        rows(&functions.into_iter().map(|(name, cost)| (format!("`{name}`"), cost)).collect::<Vec<_>>(), total),
    );
    std::fs::write(PAGE, page)?;
    println!("written to docs/profile.md");
    Ok(())
}

/// The profile of so many logins.
async fn measured(binary: &Path, requests: u32) -> Outcome<String> {
    println!("{requests} logins");
    let identity = Identity::new()?;
    let scenarios = scenario::all(&identity, Hash::Light)?;
    let login = scenarios.iter().find(|scenario| scenario.name == "login").ok_or("there is no login")?;
    let table = Table::start(&login.answers, &identity.key_set(), None).await?;
    let work = std::env::temp_dir().join(format!("profile-{}-{requests}", std::process::id()));
    let log = work.with_extension("log");
    callgrind::profile(login.program(vec![binary.into()], &table), login, &table, requests, &log, &work).await?;
    let profile = std::fs::read_to_string(&work)?;
    for file in [work, log] {
        std::fs::remove_file(file)?;
    }
    Ok(profile)
}

#[expect(clippy::cast_precision_loss, reason = "shares are shown by tenths of a percent")]
fn rows(costs: &[(String, u64)], total: u64) -> String {
    let row = |(name, cost): &(String, u64)| {
        format!("| {name} | {cost} | {:.1} % |\n", 100.0 * *cost as f64 / total.max(1) as f64)
    };
    costs.iter().map(row).collect()
}
