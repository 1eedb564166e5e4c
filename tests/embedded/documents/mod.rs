//! Tests that the evidence that documents name exists, that `docs/asvs.md` answers every requirement, and that the samples
//! of the letters are up to date.

mod asvs;
mod letters;
mod security;
