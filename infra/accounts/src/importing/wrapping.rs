//! The Argon2id hashes of MD5 and SHA-1 hashes, each computed at most once if a file keeps them.
//!
//! Nothing but such a hash can tell whether the fast hash of a row is the one that an earlier run wrapped. A fingerprint of
//! the fast hash in the table would be as easy to guess as the fast hash. So the fingerprints are in a file of the operator,
//! who has the fast hashes anyway.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use aws_smithy_types::base64;
use shared::password::legacy::{self, FastHash};
use shared::password::{Format, StoredHash};
use shared::{Fault, Passwords};

use crate::failure::Failure;
use crate::private;

/// The hashes that take some seconds.
const MANY: u64 = 500;

/// The fingerprint of a fast hash with the salt of its account.
type Fingerprint = [u8; 32];

/// The hashes of `--hash-cache`.
#[derive(Default)]
pub(crate) struct Wrapping {
    cache: Option<Mutex<Cache>>,
    /// The hashes that were computed although a cache would have kept them.
    uncached: AtomicU64,
}

struct Cache {
    path: PathBuf,
    file: File,
    known: HashMap<Fingerprint, String>,
}

impl Wrapping {
    /// Reads the file, or creates it. A line that cannot be read is ignored: a run may have been killed while writing it.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(Self::default()) };
        let failed = |error: io::Error| Failure::Failed(format!("{} cannot be used: {error}", path.display()));
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            read => read.map_err(failed)?,
        };
        let mut file = private::options().create(true).append(true).open(path).map_err(failed)?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(failed)?;
        }
        let known = text.lines().filter_map(line).collect();
        let cache = Cache { path: path.to_owned(), file, known };
        Ok(Self { cache: Some(Mutex::new(cache)), uncached: AtomicU64::new(0) })
    }

    /// The hash of a fast hash with the salt `salt`.
    pub(crate) async fn hash(
        &self,
        passwords: &Passwords,
        fast: FastHash,
        salt: [u8; 16],
    ) -> Result<StoredHash, Fault> {
        let Some(cache) = &self.cache else {
            self.uncached.fetch_add(1, Ordering::Relaxed);
            return passwords.wrap(fast, salt).await;
        };
        let fingerprint = passwords.wrapping(&fast, &salt);
        let lock = || cache.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().known.get(&fingerprint).and_then(|text| wrapped(text));
        if let Some(stored) = known {
            return Ok(stored);
        }
        let stored = passwords.wrap(fast, salt).await?;
        lock().add(fingerprint, &stored)?;
        Ok(stored)
    }

    /// What to say after a run that took long because it had no cache.
    pub(crate) fn note(&self) -> Option<String> {
        let uncached = self.uncached.load(Ordering::Relaxed);
        (uncached >= MANY).then(|| {
            format!("{uncached} MD5 or SHA-1 hashes were hashed, as every run does: with --hash-cache FILE, later runs need not")
        })
    }
}

impl Cache {
    fn add(&mut self, fingerprint: Fingerprint, stored: &StoredHash) -> Result<(), Fault> {
        let line = format!("{} {}\n", base64::encode(fingerprint), stored.as_str());
        self.file.write_all(line.as_bytes()).map_err(|error| {
            Fault::new("import.hash-cache", format!("{} cannot be written: {error}", self.path.display()))
        })?;
        self.known.insert(fingerprint, stored.as_str().to_owned());
        Ok(())
    }
}

fn line(text: &str) -> Option<(Fingerprint, String)> {
    let (fingerprint, hash) = text.split_once(' ')?;
    let fingerprint = base64::decode(fingerprint).ok()?.try_into().ok()?;
    wrapped(hash).map(|hash| (fingerprint, hash.as_str().to_owned()))
}

/// The hash that a text is, if a login can verify it.
fn wrapped(text: &str) -> Option<StoredHash> {
    legacy::read(text, false).ok().filter(|(_, format)| *format == Format::Wrapped).map(|(stored, _)| stored)
}
