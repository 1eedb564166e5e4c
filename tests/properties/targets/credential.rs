//! Looks for an input that breaks [`properties::credential`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| properties::credential::holds(input));
