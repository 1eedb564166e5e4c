//! The content of the tables: no secrets, no remains of deleted accounts, broken and extreme rows.

mod capacity;
mod data;
mod edges;
mod exported;
mod owned;
mod sound;
