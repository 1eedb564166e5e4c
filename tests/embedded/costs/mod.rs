//! The cost of a request: calls to other services, units of the tables, hashes. The costs are counted, not measured.

mod budget;
mod hashes;
mod letters;
mod scale;
