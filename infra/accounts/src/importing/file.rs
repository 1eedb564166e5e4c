//! The file of an import, read row by row and as often as needed. One row is in memory at a time.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::rc::Rc;

use serde_json::Value;

use super::fields::{Columns, Found, Row};
use crate::cli::{Backslash, Format, ImportOptions};
use crate::failure::Failure;

/// The longest row, in bytes. The longest that makes sense has a few thousand.
const ROW_MAX: u64 = 1 << 20;
/// The text that is appended to a CSV file. It is a row of its own, unless a quote is open at the end of the file.
const END: &str = "\0end of file\0";
/// The byte order mark that some programs write before UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A file that can be read more than once.
pub(crate) struct Source {
    file: File,
    format: Format,
    backslash: Option<Backslash>,
}

impl Source {
    /// Opens the file. Standard input is copied to a temporary file first.
    pub(crate) fn open(options: &ImportOptions) -> Result<Self, Failure> {
        let path = options.file.as_path();
        let failed = |error: io::Error| Failure::Failed(format!("{} cannot be read: {error}", path.display()));
        let is_stdin = path == Path::new("-");
        let guessed = match path.extension().and_then(|end| end.to_str()) {
            Some("csv") => Some(Format::Csv),
            Some("ndjson" | "jsonl") => Some(Format::Ndjson),
            _ => None,
        };
        let format = options.format.or(guessed);
        let format = format.ok_or_else(|| {
            Failure::Usage(
                "the name of the file does not end with its format: give --format csv or --format ndjson".to_owned(),
            )
        })?;
        let file = if is_stdin {
            let mut copy = tempfile::tempfile().map_err(failed)?;
            io::copy(&mut io::stdin().lock(), &mut copy).map_err(failed)?;
            copy
        } else {
            File::open(path).map_err(failed)?
        };
        Ok(Self { file, format, backslash: options.csv_backslash })
    }

    /// Reads all rows. An error of `each` ends the reading.
    pub(crate) fn rows(
        &self,
        columns: &mut Columns,
        mut each: impl FnMut(Found) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
        let mut length = file.metadata().map_err(unreadable)?.len();
        let mut reader = BufReader::with_capacity(1 << 16, file);
        if reader.fill_buf().map_err(unreadable)?.starts_with(BYTE_ORDER_MARK) {
            reader.consume(BYTE_ORDER_MARK.len());
            length -= BYTE_ORDER_MARK.len() as u64;
        }
        match self.format {
            Format::Ndjson => ndjson(reader, columns, &mut each),
            Format::Csv => {
                let first = reader.fill_buf().map_err(unreadable)?.split(|byte| *byte == b'\n').next();
                let has_returns = first.is_some_and(|line| line.ends_with(b"\r"));
                let delimiter = delimiter(first.unwrap_or_default());
                csv(reader, &Shape { length, has_returns, delimiter, backslash: self.backslash }, columns, &mut each)
            }
        }
    }
}

fn unreadable(error: impl std::fmt::Display) -> Failure {
    Failure::Failed(format!("the file cannot be read: {error}"))
}

fn cut_off(line: u64, why: impl std::fmt::Display) -> Failure {
    Failure::Failed(format!(
        "the file ends in the middle of line {line} ({why}): export the users again. Nothing was written"
    ))
}

fn too_long(line: u64) -> Failure {
    Failure::Failed(format!(
        "line {line} is longer than {ROW_MAX} bytes: is a quote or the end of a line missing? Nothing was written"
    ))
}

fn not_utf8(line: u64) -> Failure {
    Failure::Failed(format!(
        "line {line} is not UTF-8: convert the file first, such as with iconv -f WINDOWS-1252 -t UTF-8. Nothing was written"
    ))
}

/// What to do about an object on several lines.
const ON_A_LINE: &str = ": write each user on one line, such as with jq -c .";
/// What to do about a file that is one array.
const ARRAY: &str = ": write each user on a line of its own, such as with jq -c '.[]', or for an export of phpMyAdmin with \
                     jq -c '.[].data // empty | .[]'. Nothing was written";

fn ndjson(
    mut reader: impl BufRead,
    columns: &mut Columns,
    each: &mut dyn FnMut(Found) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (mut bytes, mut has_begun) = (Vec::new(), false);
    for line in 1.. {
        bytes.clear();
        let length = reader.by_ref().take(ROW_MAX + 1).read_until(b'\n', &mut bytes).map_err(unreadable)?;
        if length == 0 {
            break;
        }
        if length as u64 > ROW_MAX {
            return Err(too_long(line));
        }
        let text = str::from_utf8(&bytes).map_err(|_| not_utf8(line))?;
        if text.trim().is_empty() {
            continue;
        }
        if !std::mem::replace(&mut has_begun, true) && text.trim_start().starts_with('[') {
            return Err(Failure::Failed(format!("line {line} begins a JSON array{ARRAY}")));
        }
        let is_cut_off = !text.ends_with('\n');
        let found = match serde_json::from_str(text) {
            Ok(Value::Object(members)) => columns.row_of_json(line, &members),
            Ok(_) => Err((line, "the line is not a JSON object".to_owned())),
            Err(error) if is_cut_off => {
                return Err(cut_off(line, error));
            }
            Err(error) if error.is_eof() => Err((line, format!("the object does not end on its line{ON_A_LINE}"))),
            Err(error) => Err((line, format!("the line is not JSON: {error}"))),
        };
        each(found)?;
    }
    Ok(())
}

/// What is known of a CSV file before it is parsed.
struct Shape {
    /// In bytes, without the mark at the start.
    length: u64,
    /// Whether lines end with CR LF. The parser ends a row at the CR, and leaves the LF to the next
    /// row. So the line that it gives for a row is one too low.
    has_returns: bool,
    /// What stands between two fields.
    delimiter: u8,
    /// What a backslash means, if the command says it.
    backslash: Option<Backslash>,
}

/// The delimiter of the fields of a header: a comma or, if the header has none, a semicolon or a tab. Spreadsheets write
/// semicolons where the comma is the decimal sign.
fn delimiter(header: &[u8]) -> u8 {
    [b',', b';', b'\t'].into_iter().find(|delimiter| header.contains(delimiter)).unwrap_or(b',')
}

/// Reads a CSV file. Its last row is cut off if a quote is open at the end of the file, or if the row has
/// too few fields and no end of line.
fn csv(
    reader: impl Read,
    &Shape { length, has_returns, delimiter, backslash }: &Shape,
    columns: &mut Columns,
    each: &mut dyn FnMut(Found) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let since = Rc::new(Cell::new(0));
    let end = format!("\n{END}");
    let bounded = Bounded { reader: reader.chain(end.as_bytes()), since: Rc::clone(&since) };
    let escape = (backslash == Some(Backslash::Escape)).then_some(b'\\');
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.delimiter(delimiter).flexible(true).escape(escape).from_reader(bounded);
    let fail = |error: csv::Error, line: u64| match error.kind() {
        csv::ErrorKind::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => too_long(line),
        csv::ErrorKind::Utf8 { .. } => not_utf8(line),
        _ => unreadable(error),
    };
    let mut header = reader.headers().map_err(|error| fail(error, 1))?.clone();
    if header.iter().eq([END]) {
        header.clear();
    } else if is_open(&header) {
        return Err(cut_off(1, OPEN));
    }
    let (places, expected) = (columns.header(&header)?, header.len());
    let mut record = csv::StringRecord::new();
    loop {
        let line = reader.position().line() + u64::from(has_returns);
        since.set(0);
        if !reader.read_record(&mut record).map_err(|error| fail(error, line))? {
            return Ok(());
        }
        let line = record.position().map_or(line, |position| position.line() + u64::from(has_returns));
        if record.iter().eq([END]) {
            return Ok(());
        }
        let count = record.len();
        if is_open(&record) {
            return Err(cut_off(line, OPEN));
        }
        if count < expected && reader.position().byte() > length {
            return Err(cut_off(line, format!("it has {count} fields, and the header {expected}")));
        }
        each(if count == expected {
            Ok(Row::of_csv(line, &places, &record, backslash.is_some()))
        } else {
            Err((line, format!("the row has {count} fields, and the header {expected}")))
        })?;
    }
}

/// Why a row is cut off if a quote is open at the end of the file.
const OPEN: &str = "a quote is not closed";

/// Whether the last field goes on to the end of the file, because its quote is open.
fn is_open(record: &csv::StringRecord) -> bool {
    record.iter().next_back().is_some_and(|field| field.ends_with(END))
}

/// A reader that fails when one row takes too many bytes.
struct Bounded<R> {
    reader: R,
    /// The bytes since the last row. The CSV reader reads ahead by a buffer.
    since: Rc<Cell<u64>>,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.since.get() > ROW_MAX {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let count = self.reader.read(buffer)?;
        self.since.set(self.since.get() + count as u64);
        Ok(count)
    }
}
