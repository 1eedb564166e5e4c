//! The files and parts of documents that tests generate: letters, and tables of costs. The tests compare them, and with
//! `GENERATED=write`, which `make generated` sets, they write them.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Whether tests write the generated files.
pub fn is_written() -> bool {
    env::var_os("GENERATED").is_some_and(|value| value == "write")
}

/// The path of a file of the project.
pub fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file)
}

/// Compares a file with its generated text, or writes it.
pub fn check_file(file: &str, text: &str) {
    let path = path(file);
    if is_written() {
        fs::write(&path, text).expect("the file is written");
    }
    let current = fs::read_to_string(&path).unwrap_or_default();
    assert!(current == text, "{file} is missing or out of date: run `make generated`");
}

/// Compares the rows of the table below `header` in a document with the generated rows, or writes them.
pub fn check_table(file: &str, header: &str, rows: &str) {
    let document = fs::read_to_string(path(file)).unwrap_or_default();
    let table = document.split_once(header).and_then(|(before, rest)| {
        let (alignment, rest) = rest.trim_start_matches('\n').split_once('\n')?;
        let end = rest.split_inclusive('\n').take_while(|line| line.starts_with('|')).map(str::len).sum();
        let (_, after) = rest.split_at_checked(end)?;
        Some(format!("{before}{header}\n{alignment}\n{rows}{after}"))
    });
    let document = table.unwrap_or_else(|| panic!("{file} has no table {header:?}"));
    check_file(file, &document);
}

/// Writes what a run has seen into `target`.
pub fn report(file: &str, text: &str) {
    let path = path("target").join(file);
    fs::create_dir_all(path.parent().unwrap_or(&path)).and_then(|()| fs::write(&path, text)).expect("it is written");
}
