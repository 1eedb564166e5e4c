//! The fields of a row, and the columns that hold them.

use std::collections::BTreeSet;

use serde_json::{Map, Number, Value};

use crate::cli::ImportOptions;
use crate::failure::Failure;

/// The fields of an import. Each column has the field's name, unless `--map` gives another.
pub(crate) const FIELDS: [&str; 15] = [
    "id",
    "email",
    "name",
    "url_image",
    "accept_news",
    "news_changed_at",
    "terms_accepted_at",
    "terms_version",
    "password",
    "salt",
    "google_sub",
    "email_verified",
    "created_at",
    "disabled_at",
    "generation",
];

/// A field, as an index of [`FIELDS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Id,
    Email,
    Name,
    UrlImage,
    AcceptNews,
    NewsChangedAt,
    TermsAcceptedAt,
    TermsVersion,
    Password,
    Salt,
    GoogleSub,
    EmailVerified,
    CreatedAt,
    DisabledAt,
    Generation,
}

/// All fields, in the order of [`FIELDS`].
const ALL: [Field; FIELDS.len()] = [
    Field::Id,
    Field::Email,
    Field::Name,
    Field::UrlImage,
    Field::AcceptNews,
    Field::NewsChangedAt,
    Field::TermsAcceptedAt,
    Field::TermsVersion,
    Field::Password,
    Field::Salt,
    Field::GoogleSub,
    Field::EmailVerified,
    Field::CreatedAt,
    Field::DisabledAt,
    Field::Generation,
];

/// What SQL clients write for NULL.
const NULLS: [&str; 3] = ["\\N", "NULL", "null"];
/// Every program writes smaller numbers exactly.
const EXACT_BELOW: f64 = 9_007_199_254_740_992.0;
/// Parts of the names of columns that say who may not sign in, and of those that say who may.
const DISABLED: [&str; 8] = ["ban", "block", "bloque", "delet", "disab", "inactiv", "lock", "suspend"];
const ENABLED: [&str; 4] = ["activ", "enabl", "estado", "status"];

/// A row, or its line and the reason why it cannot be read.
pub(crate) type Found = Result<Row, (u64, String)>;

/// A row: the text of each field, and the line on which it starts.
pub(crate) struct Row {
    pub(crate) line: u64,
    values: [Option<String>; FIELDS.len()],
    /// Whether it has a backslash whose meaning the command does not say.
    pub(crate) is_backslash_unclear: bool,
}

impl Row {
    /// The text of a field; `None` if it is missing, NULL or empty.
    pub(crate) fn get(&self, field: Field) -> Option<&str> {
        self.values.get(field as usize)?.as_deref().filter(|text| !text.is_empty() && !NULLS.contains(text))
    }

    /// Reads a row of CSV. `places` are the columns of the fields.
    pub(crate) fn of_csv(line: u64, places: &Places, record: &csv::StringRecord, is_backslash_known: bool) -> Self {
        let mut row = Self { line, values: Default::default(), is_backslash_unclear: false };
        for (value, place) in row.values.iter_mut().zip(places) {
            *value = place.and_then(|place| record.get(place)).map(str::to_owned);
        }
        let texts = || row.values.iter().flatten().filter(|text| !NULLS.contains(&text.as_str()));
        row.is_backslash_unclear = !is_backslash_known && texts().any(|text| text.contains('\\'));
        row
    }
}

/// The place of each field's column in a row of CSV.
pub(crate) type Places = [Option<usize>; FIELDS.len()];

/// A column that the command names, or that one of its options needs.
struct Named {
    field: Field,
    /// The option, and what it does with the column.
    by: &'static str,
}

/// The columns that hold the fields.
pub(crate) struct Columns {
    /// The column of each field.
    names: Vec<String>,
    named: Vec<Named>,
    /// The columns of the file, in their order.
    seen: Vec<String>,
    known: BTreeSet<String>,
}

impl Columns {
    /// Reads the options that name columns.
    pub(crate) fn new(options: &ImportOptions) -> Result<Self, Failure> {
        let mut columns = Self {
            names: FIELDS.iter().map(|name| (*name).to_owned()).collect(),
            named: Vec::new(),
            seen: Vec::new(),
            known: BTreeSet::new(),
        };
        for (field, column) in &options.maps {
            let found = FIELDS.iter().zip(ALL).find(|(name, _)| *name == field);
            let (_, field) = found.ok_or_else(|| {
                Failure::Usage(format!("there is no field {field}: the fields are {}", FIELDS.join(", ")))
            })?;
            columns.name(field, column, "--map names")?;
        }
        match options.proved.as_str() {
            "all" | "none" if columns.named.iter().any(|named| named.field == Field::EmailVerified) => {
                return Err(two(Field::EmailVerified));
            }
            "all" | "none" => {}
            column => columns.name(Field::EmailVerified, column, "--proved names")?,
        }
        for (is_given, field, by) in [
            (options.salt.is_some(), Field::Salt, "--salt needs"),
            (options.avatar_map.is_some(), Field::UrlImage, "--avatar-map needs"),
        ] {
            if is_given && columns.named.iter().all(|named| named.field != field) {
                columns.named.push(Named { field, by });
            }
        }
        Ok(columns)
    }

    fn name(&mut self, field: Field, column: &str, by: &'static str) -> Result<(), Failure> {
        if self.named.iter().any(|named| named.field == field) {
            return Err(two(field));
        }
        if let Some(name) = self.names.get_mut(field as usize) {
            column.clone_into(name);
        }
        self.named.push(Named { field, by });
        Ok(())
    }

    fn column(&self, field: Field) -> &str {
        self.names.get(field as usize).map_or("", String::as_str)
    }

    /// Finds the columns of a CSV file.
    pub(crate) fn header(&mut self, header: &csv::StringRecord) -> Result<Places, Failure> {
        header.iter().for_each(|column| self.see(column));
        let mut places = Places::default();
        for (place, name) in places.iter_mut().zip(&self.names) {
            let mut found = header.iter().enumerate().filter(|(_, column)| column == name).map(|(index, _)| index);
            *place = found.next();
            if found.next().is_some() {
                return Err(Failure::Usage(format!("two columns have the name {name}: rename one of them")));
            }
        }
        self.check()?;
        for (field, name) in [(Field::Id, "id"), (Field::Email, "email")] {
            if places.get(field as usize).is_none_or(Option::is_none) {
                return Err(Failure::Usage(format!(
                    "no column holds the field {name}: the columns are {}. Name it with --map {name}=COLUMN",
                    self.seen.join(", ")
                )));
            }
        }
        Ok(places)
    }

    /// Fails if the file lacks a column that the command names. A file of NDJSON must have been read to its end.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        // A file without any column has no row that can be read, and each of them is refused.
        let is_missing = |named: &&Named| !self.seen.is_empty() && !self.known.contains(self.column(named.field));
        match self.named.iter().find(is_missing) {
            None => Ok(()),
            Some(Named { field, by }) => Err(Failure::Usage(format!(
                "the file has no column {}, which {by}: the columns are {}. Nothing was written",
                self.column(*field),
                self.seen.join(", ")
            ))),
        }
    }

    /// A row of NDJSON.
    pub(crate) fn row_of_json(&mut self, line: u64, members: &Map<String, Value>) -> Found {
        members.keys().for_each(|column| self.see(column));
        let mut row = Row { line, values: Default::default(), is_backslash_unclear: false };
        for (field, (value, column)) in ALL.into_iter().zip(row.values.iter_mut().zip(&self.names)) {
            *value = match members.get(column) {
                None | Some(Value::Null) => None,
                Some(Value::Bool(truth)) => Some(u8::from(*truth).to_string()),
                Some(Value::Number(number)) if is_exact(number) || field == Field::Id => Some(number.to_string()),
                Some(Value::Number(_)) => {
                    return Err((
                        line,
                        format!("the number in the column {column} may be rounded: export it as a text"),
                    ));
                }
                Some(Value::String(text)) => Some(text.clone()),
                Some(Value::Array(_) | Value::Object(_)) => {
                    return Err((line, format!("the column {column} is not a text or a number")));
                }
            };
        }
        Ok(row)
    }

    fn see(&mut self, column: &str) {
        if !self.known.contains(column) {
            self.known.insert(column.to_owned());
            self.seen.push(column.to_owned());
        }
    }

    /// What to say about the columns that no field has.
    pub(crate) fn notes(&self) -> Vec<String> {
        let ignored = self.seen.iter().filter(|column| !self.names.contains(column));
        let is_disabled_known = self.known.contains(self.column(Field::DisabledAt));
        let note = |column: &String| {
            let name = column.to_lowercase();
            let has = |parts: &[&str]| !is_disabled_known && parts.iter().any(|part| name.contains(part));
            if has(&DISABLED) {
                format!(
                    "the column {column} seems to say who may not sign in, and is ignored: with --map disabled_at={column} \
                     these users are imported disabled"
                )
            } else if has(&ENABLED) {
                format!(
                    "the column {column} seems to say who may sign in, and is ignored: export a column disabled_at that is \
                     1 for everybody else"
                )
            } else {
                format!("the column {column} is not a field and is ignored; --map FIELD={column} uses it")
            }
        };
        ignored.map(note).collect()
    }
}

/// Whether every program writes the number as it is. Larger ones may be rounded, such as the `sub` of Google.
fn is_exact(number: &Number) -> bool {
    number.as_f64().is_some_and(|number| number.abs() < EXACT_BELOW)
}

fn two(field: Field) -> Failure {
    let name = FIELDS.get(field as usize).unwrap_or(&"");
    Failure::Usage(format!("the command names two sources of the field {name}: leave one out"))
}
