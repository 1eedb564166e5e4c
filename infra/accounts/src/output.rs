//! What the program prints: tables for people, JSON for programs, and errors.

use std::io::{IsTerminal, Write};

use serde::Serialize;
use serde_json::Value;

use crate::failure::Failure;
use crate::progress;

/// Prints an error to standard error. On a terminal, its label is red, unless `NO_COLOR` is set.
pub(crate) fn error(text: &str) {
    let mut out = std::io::stderr();
    let (red, plain) =
        if out.is_terminal() && std::env::var_os("NO_COLOR").is_none() { ("\x1b[31m", "\x1b[0m") } else { ("", "") };
    // If standard error is closed, there is nowhere to report the failure.
    let _ = progress::aside(|| writeln!(out, "{red}error:{plain} {text}"));
}

/// Prints a note to standard error.
pub(crate) fn note(text: &str) {
    // If standard error is closed, there is nowhere to report the failure.
    let _ = progress::aside(|| writeln!(std::io::stderr(), "{text}"));
}

/// Prints names and values: as JSON, or aligned. A list has a line for each of its members.
pub(crate) fn fields(json: bool, value: &impl Serialize) -> Result<(), Failure> {
    let text = if json {
        serde_json::to_string(value).map_err(unwritable)? + "\n"
    } else {
        let Value::Object(members) = serde_json::to_value(value).map_err(unwritable)? else {
            return Err(Failure::Failed("the answer has no fields".to_owned()));
        };
        let mut lines = Vec::new();
        for (name, value) in &members {
            match value {
                Value::Object(parts) => {
                    lines.extend(parts.iter().map(|(part, of)| (format!("{name} {part}"), cell(of))));
                }
                Value::Array(several) => lines.extend(several.iter().map(|one| (name.clone(), cell(one)))),
                value => lines.push((name.clone(), cell(value))),
            }
        }
        let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
        let line = |(name, text): (String, String)| format!("{:<width$}  {text}\n", name.replace('_', " "));
        lines.into_iter().map(line).collect()
    };
    data(&text)
}

/// Prints rows: as lines of JSON, or as an aligned table with a header. Nothing is printed if there are none.
pub(crate) fn rows(json: bool, rows: &[impl Serialize]) -> Result<(), Failure> {
    if json {
        let lines: Result<Vec<String>, _> = rows.iter().map(serde_json::to_string).collect();
        let lines = lines.map_err(unwritable)?;
        return data(&lines.iter().fold(String::new(), |text, line| text + line + "\n"));
    }
    let mut table: Vec<Vec<String>> = Vec::new();
    for row in rows {
        let Value::Object(members) = serde_json::to_value(row).map_err(unwritable)? else {
            return Err(Failure::Failed("the row has no fields".to_owned()));
        };
        if table.is_empty() {
            table.push(members.keys().map(|name| name.replace(['_', '.'], " ")).collect());
        }
        table.push(members.values().map(cell).collect());
    }
    let columns = table.first().map_or(0, Vec::len);
    let width = |column: usize| table.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or_default()).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    data(&table.iter().map(line).collect::<String>())
}

/// A value for people: a text without quotes, and `-` for no value.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        Value::Object(parts) => parts.values().map(cell).collect::<Vec<_>>().join(", "),
        value => value.to_string(),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is passed to `map_err`")]
fn unwritable(error: serde_json::Error) -> Failure {
    Failure::Failed(format!("the answer cannot be written: {error}"))
}

/// Writes data to standard output.
pub(crate) fn data(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let written = progress::aside(|| out.write_all(text.as_bytes()).and_then(|()| out.flush()));
    written.map_err(|error| Failure::Failed(format!("cannot write to standard output: {error}")))
}

/// Asks to type a word before something is destroyed.
pub(crate) fn confirm(question: &str, word: &str) -> Result<(), Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::Usage("there is no terminal to ask on, and nothing was changed: give --yes".to_owned()));
    }
    let mut out = std::io::stderr();
    let mut answer = String::new();
    let asked = out.write_all(question.as_bytes()).and_then(|()| out.flush());
    let asked = asked.and_then(|()| std::io::stdin().read_line(&mut answer));
    if asked.is_ok() && answer.trim() == word {
        Ok(())
    } else {
        Err(Failure::Failed(format!("the answer is not {word}: nothing was changed")))
    }
}
