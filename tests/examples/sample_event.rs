//! Prints the sample event of the function that the argument names.

use std::io::{Error, Write, stdout};

use journeys::ENDPOINTS;

fn main() -> Result<(), Error> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let found = ENDPOINTS.iter().find(|endpoint| endpoint.name == name);
    let endpoint = found.ok_or_else(|| Error::other(format!("no endpoint has the function {name:?}")))?;
    writeln!(stdout(), "{}", endpoint.sample_event())
}
