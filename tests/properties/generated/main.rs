//! Checks the properties with inputs that proptest generates, and with the seeds from which libFuzzer starts. The seeds
//! include the inputs on which a fuzzer has found a fault.

#![cfg(test)]

mod bodies;
mod claims;
mod events;
mod passkeys;
mod words;

use std::collections::BTreeSet;

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
fn every_target_has_seeds_and_every_seed_has_a_target() {
    let seeded: BTreeSet<_> = seeds::lines().map(|(target, _)| target).collect();
    assert_eq!(seeded, TARGETS.map(|(target, _)| target).into());
}
