//! Files to import.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, fs, process};

use serde_json::{Value, json};

/// The password of [`HASH`].
pub(crate) const PASSWORD: &str = "Passw0rd ñ";
/// A bcrypt hash that PHP made.
pub(crate) const HASH: &str = "$2y$04$36RKqAf1tIZ3Zoz34IiPW.Z86nFpQkBZ3Aph4JVvlQSCD9fnHzvNS";

/// A file that is deleted at the end of the test.
pub(crate) struct TempFile(PathBuf);

impl TempFile {
    /// A path with this ending, which no other test has.
    pub(crate) fn new(ending: &str) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Self(env::temp_dir().join(format!("accounts-{}-{number}.{ending}", process::id())))
    }

    /// A file with these bytes.
    pub(crate) fn with(ending: &str, bytes: impl AsRef<[u8]>) -> Self {
        let file = Self::new(ending);
        fs::File::create(&file.0).unwrap().write_all(bytes.as_ref()).unwrap();
        file
    }

    /// A file of NDJSON.
    pub(crate) fn of(rows: &[Value]) -> Self {
        Self::with("ndjson", rows.iter().map(Value::to_string).collect::<Vec<_>>().join("\n") + "\n")
    }

    pub(crate) fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    pub(crate) fn text(&self) -> String {
        fs::read_to_string(&self.0).unwrap()
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        // The file may not exist.
        let _ = fs::remove_file(&self.0);
    }
}

/// A good row.
pub(crate) fn user(id: u64) -> Value {
    json!({
        "id": id,
        "email": format!("user{id}@example.com"),
        "name": format!("Usuaria {id}"),
        "url_image": "http://old.example/assets/avatars/03.jpeg",
        "accept_news": id % 2,
        "password": HASH,
        "email_verified": 1,
        "created_at": "2020-02-29 12:00:00",
    })
}

/// A good row with some members replaced.
pub(crate) fn user_with(id: u64, changes: &Value) -> Value {
    let mut user = user(id);
    for (name, value) in changes.as_object().unwrap() {
        user[name] = value.clone();
    }
    user
}

/// Good rows with the ids from 1.
pub(crate) fn users(count: u64) -> Vec<Value> {
    (1..=count).map(user).collect()
}
