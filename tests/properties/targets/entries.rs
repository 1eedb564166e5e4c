//! Searches for an input that breaks the property of [`properties::entries`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| properties::entries::holds(input));
