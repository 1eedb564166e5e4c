//! What a password's hash costs.

/// The parameters of Argon2id that decide what a hash costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashCost {
    /// KiB of memory.
    pub(crate) memory_kib: u32,
    /// Passes over the memory.
    pub(crate) passes: u32,
    /// Lanes of the memory. One thread fills them all: a function has one processor at the most.
    pub(crate) lanes: u32,
}

impl HashCost {
    /// 19456 KiB, two passes, one lane: of the equal choices that OWASP's password storage cheat sheet names
    /// for Argon2id, the middle one.
    pub const OWASP: Self = Self { memory_kib: 19_456, passes: 2, lanes: 1 };
    /// The least that there is (RFC 9106, 3.1). It protects nothing.
    pub const LEAST: Self = Self { memory_kib: 8, passes: 1, lanes: 1 };
}
