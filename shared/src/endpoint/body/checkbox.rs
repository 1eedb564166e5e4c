//! A form's checkbox.

use crate::Problem;

/// Reads a checkbox as HTML sends it: `on` is checked; empty or absent is not checked.
///
/// # Errors
/// [`Problem::InvalidParameters`] for anything else.
pub fn checkbox(text: &str) -> Result<bool, Problem> {
    match text {
        "on" => Ok(true),
        "" => Ok(false),
        _ => Err(Problem::InvalidParameters),
    }
}
