//! Searches for an input that breaks the property of [`properties::token`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| properties::token::holds(input));
