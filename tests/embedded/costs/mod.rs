//! What a request costs, and what a change of an account costs in the function `notices`: calls to other services, read
//! and write units of the tables, hashes and mails. The costs are counted, not measured.

mod budget;
mod changes;
mod hashes;
mod scale;
