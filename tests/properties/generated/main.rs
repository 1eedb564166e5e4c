//! Checks the properties with inputs that proptest generates, and with the seeds from which libFuzzer starts. The seeds
//! include the inputs on which a fuzzer has found a fault.

#![cfg(test)]

mod claims;
mod documents;
mod events;
mod forms;
mod passkeys;
mod words;

use std::collections::BTreeSet;
use std::path::Path;

use journeys::changes;
use properties::{TARGETS, seeds};
use proptest::test_runner::{Config, TestRunner};

/// How often each seed is changed.
const CHANGES: u32 = 64;

#[test]
fn every_seed_of_every_target_and_almost_equal_inputs_keep_its_property() {
    for (target, holds) in TARGETS {
        let seeds = seeds::of(target);
        assert!(seeds.len() >= 3, "{target} has {} seeds", seeds.len());
        for (name, seed) in seeds {
            println!("{target} {name}");
            holds(&seed);
            let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(CHANGES) });
            let changed = runner.run(&changes::of([seed]), |bytes| {
                holds(&bytes);
                Ok(())
            });
            changed.unwrap();
        }
    }
}

#[test]
fn every_target_has_seeds_and_every_file_of_seeds_has_a_target() {
    let files = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds")).unwrap();
    let files: BTreeSet<_> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(files, TARGETS.map(|(target, _)| format!("{target}.txt")).into());
}
