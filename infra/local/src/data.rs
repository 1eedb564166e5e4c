//! The storage of the tables, and the engine that opens it.
//!
//! The engine has a write-ahead log: confirmed writes survive when the process is killed, but not always when the
//! machine fails. Only one stack at a time can use a folder.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use dynoxide::Database;

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
        let database = Database::memory().map_err(|error| format!("no tables in memory: {error}"))?;
        return Ok(Opened { database, lock: None });
    };
    let lock = lock(folder)?;
    let file = folder.join("dynamodb.sqlite");
    let path = file.to_str().ok_or_else(|| format!("{} is not UTF-8: choose another folder", file.display()))?;
    let opened = Database::new(path).and_then(|database| {
        // This sets `synchronous = NORMAL`: the log is synced only at checkpoints. The engine commits each item
        // separately, so syncing each commit would take 20,000 syncs for one large request.
        database.disable_bulk_loading()?;
        Ok(database)
    });
    let database =
        opened.map_err(|error| format!("{path} cannot be opened ({error}): delete it to start with empty tables"))?;
    Ok(Opened { database, lock: Some(lock) })
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
