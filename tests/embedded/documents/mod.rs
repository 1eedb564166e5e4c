//! The security documents: what they name exists, and nothing that needs a row is missing.

mod asvs;
mod security;
