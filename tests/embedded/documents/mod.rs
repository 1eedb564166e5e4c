//! Tests that everything that the security documents name exists, that everything that needs a row in them has one, and
//! that the samples of the letters are up to date.

mod asvs;
mod letters;
mod security;
