//! Attacks from outside: guessing passwords, hostile and generated requests, injected text, taking over an account.

mod altcha;
mod attempts;
mod captcha;
mod common_passwords;
mod generated;
mod hostile;
mod injection;
mod takeover;
