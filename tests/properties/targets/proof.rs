//! Searches for an input that breaks the property of [`properties::proof`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| properties::proof::holds(input));
