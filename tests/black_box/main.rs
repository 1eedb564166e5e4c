//! Claims that hold for any deployment.

mod login;
