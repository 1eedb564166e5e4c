//! Checks the properties with inputs that proptest generates, and with the seeds from which libFuzzer starts.

#![cfg(test)]

mod claims;
mod documents;
mod events;
mod forms;
mod passkeys;
mod seeds;
mod words;
