//! Tests that everything that the security documents name exists, that they have a row for everything that needs one,
//! and that the samples of the letters are those that the service writes.

mod asvs;
mod letters;
mod security;
