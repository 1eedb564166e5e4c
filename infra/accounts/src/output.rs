//! What the program prints: tables for people, JSON for programs, and errors.

use std::io::{IsTerminal, Write};

use serde::Serialize;

use crate::failure::Failure;

/// Prints an error to standard error, in red on a terminal.
pub(crate) fn error(text: &str) {
    let mut out = std::io::stderr();
    let (red, plain) =
        if out.is_terminal() && std::env::var_os("NO_COLOR").is_none() { ("\x1b[31m", "\x1b[0m") } else { ("", "") };
    // If standard error is closed, nobody can be told.
    let _ = writeln!(out, "{red}error:{plain} {text}");
}

/// Prints a note to standard error.
pub(crate) fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Prints names and values: as JSON, or aligned.
pub(crate) fn fields(json: bool, value: &impl Serialize) -> Result<(), Failure> {
    let unwritable = |error: serde_json::Error| Failure::Failed(format!("the answer cannot be written: {error}"));
    let text = if json {
        serde_json::to_string(value).map_err(unwritable)? + "\n"
    } else {
        let serde_json::Value::Object(members) = serde_json::to_value(value).map_err(unwritable)? else {
            return Err(Failure::Failed("the answer has no fields".to_owned()));
        };
        let width = members.keys().map(String::len).max().unwrap_or_default();
        let line = |(name, value): (&String, &serde_json::Value)| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            format!("{:<width$}  {text}\n", name.replace('_', " "))
        };
        members.iter().map(line).collect()
    };
    data(&text)
}

/// Writes data to standard output.
pub(crate) fn data(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| Failure::Failed(format!("standard output is closed: {error}")))
}

/// Asks to type a word before something is destroyed.
pub(crate) fn confirm(question: &str, word: &str) -> Result<(), Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::Usage("without a terminal nothing is asked: give --yes".to_owned()));
    }
    let mut out = std::io::stderr();
    let mut answer = String::new();
    let asked = out.write_all(question.as_bytes()).and_then(|()| out.flush());
    let asked = asked.and_then(|()| std::io::stdin().read_line(&mut answer));
    if asked.is_ok() && answer.trim() == word { Ok(()) } else { Err(Failure::Failed("nothing was changed".to_owned())) }
}
