//! Searches for an input that breaks the property of [`properties::passkey::attestation_holds`].

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| properties::passkey::attestation_holds(input));
