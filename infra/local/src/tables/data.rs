//! The storage of the tables, and the engine that opens it.
//!
//! The engine has a write-ahead log: confirmed writes survive when the process is killed, but not always when the
//! machine fails. Only one stack at a time can use a folder.
//!
//! For each write to a table with a stream, the engine searches for the last record of the stream, and has no index for
//! this. `INDEX` adds one; otherwise each write would take longer than the one before.

use std::error::Error;
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use dynoxide::Database;
use rusqlite::Connection;

/// The index for the engine's searches of stream records, by table and number.
const INDEX: &str = "CREATE INDEX IF NOT EXISTS local_stream_records
    ON _stream_records (table_name, CAST(sequence_number AS INTEGER))";

/// The storage of the tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Data {
    /// In memory: the data is lost when the stack ends.
    Memory,
    /// In a file in this folder, which is created if it does not exist.
    Folder(PathBuf),
}

impl fmt::Display for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("in memory"),
            Self::Folder(folder) => write!(f, "in {}", folder.display()),
        }
    }
}

/// The engine, and the lock on its folder, which must be held as long as the engine runs.
pub(crate) struct Opened {
    pub(crate) database: Database,
    pub(crate) lock: Option<File>,
}

/// Opens the engine with `data`. The error says how to fix it.
pub(crate) fn open(data: &Data) -> Result<Opened, String> {
    let Data::Folder(folder) = data else {
        let database = in_memory().map_err(|error| format!("the tables in memory cannot be created: {error}"))?;
        return Ok(Opened { database, lock: None });
    };
    let lock = lock(folder)?;
    let file = folder.join("dynamodb.sqlite");
    let path = file.to_str().ok_or_else(|| format!("{} is not UTF-8: choose another folder", file.display()))?;
    let opened = with_index(path).and_then(|database| {
        // This sets `synchronous = NORMAL`: the log is synced only at checkpoints. The engine commits each item
        // separately, so syncing each commit would take 20,000 syncs for one large request.
        database.disable_bulk_loading()?;
        Ok(database)
    });
    let database =
        opened.map_err(|error| format!("{path} cannot be opened ({error}): delete it to start with empty tables"))?;
    Ok(Opened { database, lock: Some(lock) })
}

/// Opens a database of SQLite, by its path or its URI, and adds the index.
fn with_index(database: &str) -> Result<Database, Box<dyn Error>> {
    let opened = Database::new(database)?;
    Connection::open(database)?.execute_batch(INDEX)?;
    Ok(opened)
}

/// A new database in memory. It has a name in this process, under which a second connection adds the index.
fn in_memory() -> Result<Database, Box<dyn Error>> {
    static OPENED: AtomicUsize = AtomicUsize::new(0);
    with_index(&format!("file:tables-{}?mode=memory&cache=shared", OPENED.fetch_add(1, Ordering::Relaxed)))
}

fn lock(folder: &Path) -> Result<File, String> {
    let shown = folder.display();
    let file = fs::create_dir_all(folder).and_then(|()| File::create(folder.join("lock")));
    let file = file.map_err(|error| {
        format!("the data folder {shown} cannot be written ({error}): choose another with LOCAL_DATA=FOLDER")
    })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(format!(
            "the data folder {shown} is used by another running stack: stop that, or use LOCAL_DATA=memory"
        )),
        Err(TryLockError::Error(error)) => Err(format!("the data folder {shown} cannot be locked: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    use serde_json::{from_value, json};

    /// The shortest duration of `count` writes, among ten measurements.
    #[expect(clippy::disallowed_methods, reason = "measures a duration")]
    fn writes(database: &Database, count: usize) -> Duration {
        let write = |number| {
            let request = json!({"TableName": "table", "Item": {"pk": {"S": "a"}, "n": {"N": format!("{number}")}}});
            database.put_item(from_value(request).expect("it is a request")).expect("it is written");
        };
        let time = |batch| {
            let start = Instant::now();
            (0..count).for_each(|number| write(batch * count + number));
            start.elapsed()
        };
        (0..10).map(time).min().unwrap_or_default()
    }

    #[test]
    fn a_write_after_thousands_of_others_takes_no_longer_than_the_first_ones() {
        let folder = tempfile::tempdir().expect("a folder is made");
        for data in [Data::Memory, Data::Folder(folder.path().into())] {
            let opened = open(&data).expect("it opens");
            let table = json!({
                "TableName": "table",
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
            });
            opened.database.create_table(from_value(table).expect("it is a request")).expect("it is created");
            let first = writes(&opened.database, 20);
            writes(&opened.database, 400);
            let last = writes(&opened.database, 20);
            assert!(last < first * 2, "{data}: {last:?} for what took {first:?}");
        }
    }
}
