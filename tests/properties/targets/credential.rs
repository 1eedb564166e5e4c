//! Searches for an input that breaks the property of [`properties::credential`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| properties::credential::holds(input));
