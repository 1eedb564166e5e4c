//! Other services that fail or are slow: a sweep over every call, and single outages.

mod faults;
mod outages;
