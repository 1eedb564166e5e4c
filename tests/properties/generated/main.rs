//! The properties on inputs that proptest makes, and on the seeds that libFuzzer starts from.

#![cfg(test)]

mod changes;
mod claims;
mod documents;
mod events;
mod forms;
mod seeds;
mod words;
