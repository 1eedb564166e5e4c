//! Tests of the documents whose rows name their evidence: each row names a test, a file, a setting or a parameter of the
//! template, and each of these exists.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const GATEWAY: &str = "docs/gateway.md";
const DOCUMENTS: [&str; 3] = ["SECURITY.md", "docs/asvs.md", GATEWAY];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|_| panic!("{path} is missing"))
}

/// A row of a table, below the table's head.
pub(crate) struct Row {
    /// The heading above it.
    pub(crate) section: String,
    /// The cells.
    pub(crate) cells: Vec<String>,
}

impl Row {
    /// The names in the last cell.
    fn names(&self) -> Vec<&str> {
        self.cells.last().unwrap().split('`').skip(1).step_by(2).collect()
    }
}

/// The rows of a document's tables.
pub(crate) fn rows(document: &str) -> Vec<Row> {
    let (mut section, mut body, mut rows) = (String::new(), false, Vec::new());
    for line in read(document).lines() {
        if let Some(heading) = line.strip_prefix('#') {
            heading.trim_start_matches('#').trim().clone_into(&mut section);
        }
        let Some(cells) = line.strip_prefix('|').and_then(|line| line.strip_suffix('|')) else {
            body = false;
            continue;
        };
        if body {
            let cells = cells.split('|').map(|cell| cell.trim().to_owned()).collect();
            rows.push(Row { section: section.clone(), cells });
        }
        body |= cells.starts_with("---");
    }
    rows
}

/// Every file with Rust code.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            sources(&path, found);
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
}

/// The name in the signature of a function.
fn function(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("fn ")?;
    Some(rest.split(['(', '<']).next().unwrap_or_default().trim())
}

/// The tests of a file: the functions with the attribute, and the names in the call of a macro that defines tests.
fn tests_of(text: &str) -> BTreeSet<String> {
    let is_attribute = |line: &str| line.starts_with("#[test") || line.starts_with("#[tokio::test");
    let (mut names, mut is_test, mut makers, mut in_call) = (BTreeSet::new(), false, Vec::new(), false);
    let mut maker = None;
    for line in text.lines() {
        let bare = line.trim();
        if let Some(name) = bare.strip_prefix("macro_rules! ") {
            maker = name.split([' ', '{']).next();
        }
        is_test |= is_attribute(bare);
        if let Some(name) = function(bare).filter(|_| is_test) {
            is_test = false;
            if name.starts_with('$') {
                makers.extend(maker);
            } else {
                names.insert(name.to_owned());
            }
        }
        if in_call && let Some((name, _)) = bare.split_once(':') {
            names.insert(name.to_owned());
        }
        in_call = (in_call && bare != "}") || makers.iter().any(|maker| bare == format!("{maker}! {{"));
    }
    names
}

/// The names of all tests, each with the files that have a test of this name.
struct Tests(BTreeMap<String, Vec<String>>);

impl Tests {
    fn of_this_project() -> Self {
        let (mut files, mut tests) = (Vec::new(), BTreeMap::<String, Vec<String>>::new());
        sources(&root(), &mut files);
        for path in files {
            let stem = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
            // A test is qualified by the name of its file: for `lib.rs` by the crate's folder, for `mod.rs` and `main.rs` by
            // the folder.
            let file = match stem(&path).as_str() {
                "lib" => stem(path.parent().unwrap().parent().unwrap()),
                "mod" | "main" => stem(path.parent().unwrap()),
                name => name.to_owned(),
            };
            for name in tests_of(&fs::read_to_string(&path).unwrap()) {
                tests.entry(name).or_default().push(file.clone());
            }
        }
        Self(tests)
    }

    /// The fault of a name, if any.
    fn fault(&self, name: &str) -> Option<String> {
        let (file, test) = name.rsplit_once("::").map_or((None, name), |(file, test)| (Some(file), test));
        let Some(files) = self.0.get(test) else { return Some(format!("no test is named {test}")) };
        match file {
            None if files.len() == 1 => None,
            None => Some(format!("{test} is in several files, write one of {files:?} before it")),
            Some(file) if files.iter().filter(|other| *other == file).count() == 1 => None,
            Some(file) => {
                Some(format!("{file} has no test {test}, or more than one; the files with this test are {files:?}"))
            }
        }
    }
}

/// What is wrong with a name in a row, if anything. It names a file, a setting, a parameter of the template, or a test.
fn fault(tests: &Tests, code: &str, name: &str) -> Option<String> {
    let capital = name.starts_with(|c: char| c.is_ascii_uppercase());
    if name.contains(['/', '.']) {
        (!root().join(name).exists()).then(|| format!("no file {name}"))
    } else if capital && !name.contains(|c: char| c.is_ascii_lowercase()) {
        (!code.contains(&format!("\"{name}\""))).then(|| format!("no setting {name}"))
    } else if capital {
        (!read("template.yaml").contains(&format!("\n  {name}:"))).then(|| format!("no parameter {name}"))
    } else {
        tests.fault(name)
    }
}

/// The deployed code.
fn code() -> String {
    let mut files = Vec::new();
    for folder in ["shared", "functions"] {
        sources(&root().join(folder), &mut files);
    }
    files.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn everything_that_a_row_names_exists() {
    let (tests, code) = (Tests::of_this_project(), code());
    let mut faults = Vec::new();
    for document in DOCUMENTS {
        for row in rows(document) {
            let named = row.names();
            assert!(!named.is_empty(), "{document}, {}: a row without a name: {:?}", row.section, row.cells);
            let wrong = named.iter().filter_map(|name| fault(&tests, &code, name));
            faults.extend(wrong.map(|fault| format!("{document}, {}: {fault}", row.section)));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn an_unknown_or_ambiguous_name_is_reported() {
    let (tests, code) = (Tests::of_this_project(), code());
    for (name, expected) in [
        ("no_test_has_this_name", "no test is named"),
        ("assert_sound", "no test is named"),
        ("bytes_that_are_not_text_are_refused", "is in several files"),
        ("nowhere::every_device_is_signed_out_at_once", "nowhere has no test"),
        ("shared/src/nothing.rs", "no file"),
        ("NO_SUCH_SETTING", "no setting"),
        ("NoSuchParameter", "no parameter"),
    ] {
        let fault = fault(&tests, &code, name).unwrap();
        assert!(fault.contains(expected), "{name}: {fault}");
    }
    for name in [
        "an_unknown_or_ambiguous_name_is_reported",
        "forms::bytes_that_are_not_text_are_refused",
        "the_service_withstands_every_fault",
        "shared/src/account/token.rs",
        "RESET_TOKEN_SECONDS",
        "GoogleClientIds",
    ] {
        assert_eq!(fault(&tests, &code, name), None);
    }
}

#[test]
fn every_file_of_the_tests_is_a_module_of_its_folder() {
    for crate_folder in ["black_box", "embedded", "interleavings", "load", "on_lambda", "providers", "support"] {
        assert_modules(&root().join("tests").join(crate_folder), &["main.rs", "lib.rs"]);
    }
}

/// Asserts that the file with one of these names declares all other files and folders of its folder as modules. Checks
/// the folders below in the same way.
fn assert_modules(folder: &Path, names: &[&str]) {
    let declaring = names.iter().map(|name| folder.join(name)).find(|file| file.exists());
    let Some(declaring) = declaring else { return };
    let text = fs::read_to_string(&declaring).unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if path.is_dir() {
            assert_modules(&path, &["mod.rs"]);
        }
        let is_module = path.join("mod.rs").exists() || path.extension().is_some_and(|end| end == "rs");
        let is_declared = path == declaring || text.contains(&format!("mod {name};"));
        assert!(!is_module || is_declared, "{}: add `mod {name};`, or its tests do not run", declaring.display());
    }
}

#[test]
fn every_row_of_gateway_md_has_a_test_and_a_source_or_the_word_assumed() {
    let (tests, rows) = (Tests::of_this_project(), rows(GATEWAY));
    assert!(!rows.is_empty());
    for row in rows {
        let [_, source, _] = row.cells.as_slice() else { panic!("{:?}", row.cells) };
        assert!(source.contains("](https://") || source.contains("Assumed"), "{:?}", row.cells);
        assert!(row.names().iter().any(|name| tests.fault(name).is_none()), "{:?}", row.cells);
    }
}
