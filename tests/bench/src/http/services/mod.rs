//! The services.

mod allauth;
mod better_auth;
mod cedros;
mod ours;

use std::path::Path;

use super::service::Service;
use crate::Outcome;

/// All of them, ours first.
#[must_use]
pub fn all() -> [Box<dyn Service>; 4] {
    [Box::new(ours::Ours), Box::new(better_auth::BetterAuth), Box::new(allauth::Allauth), Box::new(cedros::Cedros)]
}

/// What a command prints.
fn printed(command: &mut std::process::Command) -> Outcome<String> {
    let output = command.output()?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// A file of an installed peer. The error says how it is installed.
fn installed(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path)
        .map_err(|error| format!("{} ({error}): `make bench-http` installs it", path.display()).into())
}
