//! Searches for an input that breaks the property of [`properties::email`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| properties::email::holds(input));
