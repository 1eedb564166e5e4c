//! HTTP against HTTP: this service's local stack beside other account services, each on its own server, all asked the
//! same by the same clients.

pub mod client;
pub mod exchange;
pub mod keys;
pub mod load;
pub mod picture;
pub mod proof;
pub mod report;
pub mod round;
pub mod running;
pub mod service;
pub mod services;
pub mod summary;
