//! What the program prints: tables for people, JSON for programs, and errors. Nothing else writes to the standard streams.
//!
//! Names, addresses and the columns of a file are other people's texts. What a terminal would obey or hide in them is
//! written as an escape.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, BufWriter, IsTerminal, Write};

use serde::Serialize;
use serde_json::Value;

use crate::failure::Failure;
use crate::progress;

/// Whether a terminal obeys a character, or shows the text around it in another order: control characters, Unicode's
/// property `Bidi_Control`, and its separators of lines and paragraphs.
fn is_hidden(c: char) -> bool {
    let is_bidi = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || is_bidi || matches!(c, '\u{2028}' | '\u{2029}')
}

/// A text for people, on one line.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// A value as JSON on one line. Escapes in it mean the characters that they stand for.
pub(crate) fn json(value: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string(value)?;
    if !text.contains(is_hidden) {
        return Ok(text);
    }
    // Such a character is only in a text, where any character can be an escape.
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a text cannot fail.
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(c);
        }
    }
    Ok(shown)
}

/// Prints an error to standard error. On a terminal, its label is red, unless `NO_COLOR` is set.
pub(crate) fn error(text: &str) {
    let mut out = io::stderr();
    let (red, plain) =
        if out.is_terminal() && std::env::var_os("NO_COLOR").is_none() { ("\x1b[31m", "\x1b[0m") } else { ("", "") };
    // If standard error is closed, there is nowhere to report the failure.
    let _ = progress::aside(|| writeln!(out, "{red}error:{plain} {}", visible(text)));
}

/// Prints a note to standard error.
pub(crate) fn note(text: &str) {
    // If standard error is closed, there is nowhere to report the failure.
    let _ = progress::aside(|| writeln!(io::stderr(), "{}", visible(text)));
}

/// Prints what the parser of the command line says: help, the version, or what is wrong. If an argument has a character
/// that a terminal obeys, it is printed without colours.
pub(crate) fn usage(error: &clap::Error) {
    let lines = || error.render().to_string().lines().map(visible).collect::<Vec<_>>().join("\n") + "\n";
    // If it cannot be printed, there is nowhere to report the failure.
    let _ = if !std::env::args_os().any(|argument| argument.to_string_lossy().contains(is_hidden)) {
        error.print()
    } else if error.use_stderr() {
        io::stderr().write_all(lines().as_bytes())
    } else {
        io::stdout().write_all(lines().as_bytes())
    };
}

/// Prints names and values: as JSON, or aligned. A list has a line for each of its members.
pub(crate) fn fields(is_json: bool, value: &impl Serialize) -> Result<(), Failure> {
    let text = if is_json {
        json_line(value)?
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
        let line = |(name, text): (String, String)| format!("{:<width$}  {text}\n", visible(&name.replace('_', " ")));
        lines.into_iter().map(line).collect()
    };
    data(&text)
}

/// Prints rows: as lines of JSON, or as an aligned table with a header. Nothing is printed if there are none.
pub(crate) fn rows(is_json: bool, rows: &[impl Serialize]) -> Result<(), Failure> {
    if is_json {
        return data(&rows.iter().map(json_line).collect::<Result<String, _>>()?);
    }
    let mut table: Vec<Vec<String>> = Vec::new();
    for row in rows {
        let Value::Object(members) = serde_json::to_value(row).map_err(unwritable)? else {
            return Err(Failure::Failed("the row has no fields".to_owned()));
        };
        if table.is_empty() {
            table.push(members.keys().map(|name| visible(&name.replace(['_', '.'], " "))).collect());
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

/// As [`rows`], but people see only the columns in which some row has a value.
pub(crate) fn rows_without_empty_columns(json: bool, all: &[impl Serialize]) -> Result<(), Failure> {
    if json {
        return rows(json, all);
    }
    let shown: Result<Vec<Value>, _> = all.iter().map(serde_json::to_value).collect();
    let mut shown = shown.map_err(unwritable)?;
    let cells = shown.iter().filter_map(Value::as_object).flatten();
    let filled: BTreeSet<String> = cells.filter(|(_, value)| !value.is_null()).map(|(name, _)| name.clone()).collect();
    for row in shown.iter_mut().filter_map(Value::as_object_mut) {
        row.retain(|name, _| filled.contains(name));
    }
    rows(json, &shown)
}

/// A value for people: a text without quotes, and `-` for no value.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => visible(text),
        Value::Object(parts) => parts.values().map(cell).collect::<Vec<_>>().join(", "),
        value => value.to_string(),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is passed to `map_err`")]
fn unwritable(error: serde_json::Error) -> Failure {
    Failure::Failed(format!("the answer cannot be written: {error}"))
}

fn json_line(value: &impl Serialize) -> Result<String, Failure> {
    json(value).map(|text| text + "\n").map_err(unwritable)
}

/// Prints a value as a line of JSON.
pub(crate) fn value(value: &impl Serialize) -> Result<(), Failure> {
    data(&json_line(value)?)
}

/// Prints a line for people.
pub(crate) fn line(text: &str) -> Result<(), Failure> {
    data(&(visible(text) + "\n"))
}

/// Prints a script of this program for a shell.
pub(crate) fn script(text: &[u8]) -> Result<(), Failure> {
    data(&String::from_utf8_lossy(text))
}

/// Prints lines that [`json`] made.
pub(crate) fn ndjson(lines: &str) -> Result<(), Failure> {
    data(lines)
}

/// Standard output, for lines that [`json`] made.
pub(crate) fn ndjson_writer() -> BufWriter<Box<dyn Write>> {
    BufWriter::new(Box::new(io::stdout()))
}

/// Whether standard output is a terminal, so that progress would come between its lines.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Writes to standard output.
fn data(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = progress::aside(|| out.write_all(text.as_bytes()).and_then(|()| out.flush()));
    written.map_err(|error| Failure::Failed(format!("cannot write to standard output: {error}")))
}

/// Asks to type a word before something is destroyed.
pub(crate) fn confirm(question: &str, word: &str) -> Result<(), Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::Usage("there is no terminal to ask on, and nothing was changed: give --yes".to_owned()));
    }
    let mut out = io::stderr();
    let mut answer = String::new();
    let asked = out.write_all(visible(question).as_bytes()).and_then(|()| out.flush());
    let asked = asked.and_then(|()| io::stdin().read_line(&mut answer));
    if asked.is_ok() && answer.trim() == word {
        Ok(())
    } else {
        Err(Failure::Failed(format!("the answer is not {word}: nothing was changed")))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Escape sequences of seven and of eight bits, a line of its own, and reversed text.
    const HOSTILE: &str = "Ana\u{1b}[2J\u{9b}31m\n\rerror: \u{202e}moc\u{2066}\u{7f}\u{2028}";

    #[test]
    fn what_a_terminal_would_obey_is_an_escape_and_every_other_letter_stays() {
        let shown = r"Ana\u{1b}[2J\u{9b}31m\n\rerror: \u{202e}moc\u{2066}\u{7f}\u{2028}";
        assert_eq!(visible(HOSTILE), shown);
        for text in ["Ñandú Łukasz", "יעל", "👩\u{200d}👧", "e\u{301} \\ \" '"] {
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn escapes_in_json_mean_the_same_text() {
        let text = json(&[HOSTILE]).unwrap();
        assert!(!text.contains(is_hidden), "{text}");
        assert_eq!(serde_json::from_str::<[String; 1]>(&text).unwrap(), [HOSTILE]);
    }

    /// The Rust files of a folder and those below it.
    fn sources(folder: &Path) -> Vec<std::path::PathBuf> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
    }

    #[test]
    fn no_other_file_writes_to_the_standard_streams() {
        let files = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
        assert!(files.len() > 40);
        for path in files.iter().filter(|path| !path.ends_with("src/output.rs")) {
            let code = fs::read_to_string(path).unwrap();
            for way in ["::stdout", "::stderr", "print!(", "println!(", ".print(", "dbg!("] {
                assert!(!code.contains(way), "{} uses {way}", path.display());
            }
        }
    }
}
