//! What the folders of these tests share: the functions without a gateway, the rows of the tables, and a scenario for
//! each request.

pub(crate) mod hosts;
pub(crate) mod rows;
pub(crate) mod scenarios;
