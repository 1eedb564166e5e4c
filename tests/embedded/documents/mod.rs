//! Tests that everything that the security documents name exists, and that they have a row for everything that needs
//! one.

mod asvs;
mod security;
