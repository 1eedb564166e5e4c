//! Tests over HTTP that pass against any deployment with the default settings.

mod activity;
mod bodies;
mod change_email;
mod confirm;
mod contract;
mod cookies;
mod delete_account;
mod export_account;
mod fields;
mod guards;
mod login;
mod origins;
mod parallel;
mod passkeys;
mod register;
mod reset;
mod session;
mod sessions;
mod user_config;
mod verification;
