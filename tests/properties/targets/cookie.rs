//! Looks for an input that breaks [`properties::cookie`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| properties::cookie::holds(input));
