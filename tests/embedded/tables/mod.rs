//! What the tables hold: no secrets, no rests of deleted accounts, broken and extreme rows.

mod data;
mod edges;
