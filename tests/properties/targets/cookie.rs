//! Searches for an input that breaks the property of [`properties::cookie`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| properties::cookie::holds(input));
