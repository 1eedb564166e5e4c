//! Searches for an input that breaks the property of [`properties::multipart`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| properties::multipart::holds(input));
