//! The cost of password hashes.

/// The cost parameters of Argon2id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashCost {
    /// Memory, in KiB.
    pub(crate) memory_kib: u32,
    /// Passes over the memory.
    pub(crate) passes: u32,
    /// Lanes of the memory. One thread fills all of them, because a function has at most one processor.
    pub(crate) lanes: u32,
}

impl HashCost {
    /// 19456 KiB, two passes, one lane: the second of the five equivalent Argon2id configurations in OWASP's password
    /// storage cheat sheet.
    pub const OWASP: Self = Self { memory_kib: 19_456, passes: 2, lanes: 1 };
    /// The lowest cost that RFC 9106, 3.1, allows. It protects no password.
    pub const LEAST: Self = Self { memory_kib: 8, passes: 1, lanes: 1 };
}
