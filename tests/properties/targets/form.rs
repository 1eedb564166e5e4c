//! Looks for an input that breaks [`properties::form`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| properties::form::holds(input));
