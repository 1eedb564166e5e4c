//! Where the tables are kept, and the engine opened on it.
//!
//! The engine writes ahead to a log: what was answered survives a kill of the process, but perhaps not the end of the
//! machine. A folder belongs to one stack at a time.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use dynoxide::Database;

/// Where the tables are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Data {
    /// Nowhere: they are gone when the stack ends.
    Memory,
    /// In a file in this folder, which is made if it does not exist.
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

/// The engine, and the lock on its folder, to be held as long as the engine runs.
pub(crate) struct Opened {
    pub(crate) database: Database,
    pub(crate) lock: Option<File>,
}

/// Opens the engine on `data`. The error says what to do.
pub(crate) fn open(data: &Data) -> Result<Opened, String> {
    let Data::Folder(folder) = data else {
        let database = Database::memory().map_err(|error| format!("no tables in memory: {error}"))?;
        return Ok(Opened { database, lock: None });
    };
    let lock = lock(folder)?;
    let file = folder.join("dynamodb.sqlite");
    let path = file.to_str().ok_or_else(|| format!("{} is not UTF-8: choose another folder", file.display()))?;
    let opened = Database::new(path).and_then(|database| {
        // This sets `synchronous = NORMAL`: the log is synced at checkpoints alone. The engine commits each item by itself,
        // so a sync for each commit would make 20,000 of them of one large request.
        database.disable_bulk_loading()?;
        Ok(database)
    });
    let database = opened.map_err(|error| format!("{path} cannot be opened ({error}): delete it to start anew"))?;
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
