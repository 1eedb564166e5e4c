//! Searches for an input that breaks the property of [`properties::assertion::holds`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| properties::assertion::holds(input));
