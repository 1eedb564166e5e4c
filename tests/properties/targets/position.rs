//! Searches for an input that breaks the property of [`properties::position`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| properties::position::holds(input));
