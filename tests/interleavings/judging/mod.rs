//! The verdict about a finished run, and the specification that it compares the run with.

pub(crate) mod calls;
pub(crate) mod judge;
pub(crate) mod model;
pub(crate) mod rows;
pub(crate) mod world;
