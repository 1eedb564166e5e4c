//! Searches for an input that breaks the property of [`properties::form`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| properties::form::holds(input));
