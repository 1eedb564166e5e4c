//! Searches for an input that breaks the property of [`properties::passkey::client_data_holds`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| properties::passkey::client_data_holds(input));
