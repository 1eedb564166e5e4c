//! Searches for an input that breaks the property of [`properties::event`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| properties::event::holds(input));
