//! Tests that need access to the stack.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a claim that cannot be examined fails, as tests do; clippy spares the test functions alone"
)]

mod asvs;
mod attacks;
mod attempts;
mod audit;
mod budget;
mod captcha;
mod crowds;
mod data;
mod edges;
mod faults;
mod gateway;
mod generated;
mod guard;
mod hashes;
mod hostile;
mod hosts;
mod lifetimes;
mod logs;
mod many_sessions;
mod origins;
mod outages;
mod pages;
mod policies;
mod races;
mod restart;
mod rows;
mod scale;
mod scenarios;
mod security;
mod settings;
mod template;
mod tls;
