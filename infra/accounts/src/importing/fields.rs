//! The fields of a row, and the columns that hold them.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::failure::Failure;

/// The fields of an import. Each column has the field's name, unless `--map` gives another.
pub(crate) const FIELDS: [&str; 12] = [
    "id",
    "email",
    "name",
    "url_image",
    "accept_news",
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
    Password,
    Salt,
    GoogleSub,
    EmailVerified,
    CreatedAt,
    DisabledAt,
    Generation,
}

/// A row, or its line and the reason why it cannot be read.
pub(crate) type Found = Result<Row, (u64, String)>;

/// A row: the text of each field, and the line on which it starts.
pub(crate) struct Row {
    pub(crate) line: u64,
    values: [Option<String>; FIELDS.len()],
}

impl Row {
    /// The text of a field; `None` if it is missing, NULL or empty.
    pub(crate) fn get(&self, field: Field) -> Option<&str> {
        self.values.get(field as usize)?.as_deref().filter(|text| !text.is_empty())
    }

    /// Reads a row of CSV. NULL is an empty field, or `\N` as MySQL writes it.
    pub(crate) fn of_csv(line: u64, header: &[Option<usize>], record: &csv::StringRecord) -> Self {
        let mut row = Self { line, values: Default::default() };
        for (index, text) in header.iter().zip(record) {
            if let Some(value) = index.and_then(|index| row.values.get_mut(index)) {
                *value = (text != "\\N").then(|| text.to_owned());
            }
        }
        row
    }
}

/// The columns that hold the fields.
pub(crate) struct Columns {
    /// The column of each field.
    names: Vec<String>,
    /// The columns that no field has.
    pub(crate) ignored: BTreeSet<String>,
}

impl Columns {
    /// Reads `--map` and `--proved`.
    pub(crate) fn new(maps: &[(String, String)], proved: &str) -> Result<Self, Failure> {
        let mut names: Vec<String> = FIELDS.iter().map(|name| (*name).to_owned()).collect();
        for (field, column) in maps {
            let index = FIELDS.iter().position(|name| name == field);
            let name = index.and_then(|index| names.get_mut(index));
            column.clone_into(name.ok_or_else(|| {
                Failure::Usage(format!("there is no field {field}: the fields are {}", FIELDS.join(", ")))
            })?);
        }
        if let (false, Some(name)) = (["all", "none"].contains(&proved), names.get_mut(Field::EmailVerified as usize)) {
            proved.clone_into(name);
        }
        Ok(Self { names, ignored: BTreeSet::new() })
    }

    /// The field of each column of a CSV file.
    pub(crate) fn header(&mut self, header: &csv::StringRecord) -> Result<Vec<Option<usize>>, Failure> {
        let indexes: Vec<_> = header.iter().map(|column| self.index(column)).collect();
        for field in [Field::Id, Field::Email] {
            if !indexes.contains(&Some(field as usize)) {
                let name = FIELDS.get(field as usize).unwrap_or(&"");
                let columns = header.iter().collect::<Vec<_>>().join(", ");
                return Err(Failure::Usage(format!(
                    "no column holds the field {name}: the columns are {columns}. Name it with --map {name}=COLUMN"
                )));
            }
        }
        Ok(indexes)
    }

    /// A row of NDJSON.
    pub(crate) fn row_of_json(&mut self, line: u64, members: Map<String, Value>) -> Found {
        let mut row = Row { line, values: Default::default() };
        for (column, value) in members {
            let Some(index) = self.index(&column) else { continue };
            let text = match value {
                Value::Null => None,
                Value::Bool(truth) => Some(u8::from(truth).to_string()),
                Value::Number(number) => Some(number.to_string()),
                Value::String(text) => Some(text),
                Value::Array(_) | Value::Object(_) => {
                    return Err((line, format!("the column {column} is not a text or a number")));
                }
            };
            if let Some(value) = row.values.get_mut(index) {
                *value = text;
            }
        }
        Ok(row)
    }

    fn index(&mut self, column: &str) -> Option<usize> {
        let index = self.names.iter().position(|name| name == column);
        if index.is_none() && !self.ignored.contains(column) {
            self.ignored.insert(column.to_owned());
        }
        index
    }
}
