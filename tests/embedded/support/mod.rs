//! The parts that these tests share: the functions without a gateway, the rows of the tables, proofs of work, and a
//! scenario for each request.

pub(crate) mod functions;
pub(crate) mod proofs;
pub(crate) mod rows;
pub(crate) mod scenarios;
