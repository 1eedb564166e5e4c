//! The formats of stored hashes, and what is known of an account's password.

use super::StoredHash;

/// What a row says of an account without a password, in place of the name of a format.
const NONE: &str = "none";
/// The name of a hash that has none of the formats.
const UNKNOWN: &str = "unknown";

/// The format of a stored hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Argon2id, the format of this service.
    Argon2id,
    /// Argon2i, of PHP's `PASSWORD_ARGON2I`.
    Argon2i,
    /// bcrypt, of PHP's `password_hash`.
    Bcrypt,
    /// bcrypt as Symfony uses it: a password of more than 72 bytes is hashed with SHA-512 first.
    Symfony,
    /// bcrypt as WordPress uses it since 6.8: each password is hashed with HMAC-SHA-384 first.
    WordPress,
    /// phpass, of older WordPress, Drupal and phpBB.
    Phpass,
    /// SHA-256 or SHA-512 of `crypt`.
    ShaCrypt,
    /// The Argon2id hash of an MD5 or SHA-1 hash.
    Wrapped,
}

impl Format {
    /// The formats of other systems.
    pub const LEGACY: [Self; 7] =
        [Self::Argon2i, Self::Bcrypt, Self::Symfony, Self::WordPress, Self::Phpass, Self::ShaCrypt, Self::Wrapped];

    /// The format of a stored hash by its start; the rest may be broken. `None` if no format has this start.
    #[must_use]
    pub fn of(stored: &str) -> Option<Self> {
        let starts: [(&str, Self); 12] = [
            ("$argon2id$", Self::Argon2id),
            ("$argon2i$", Self::Argon2i),
            ("$2a$", Self::Bcrypt),
            ("$2b$", Self::Bcrypt),
            ("$2y$", Self::Bcrypt),
            ("$symfony$2", Self::Symfony),
            ("$wp$2", Self::WordPress),
            ("$P$", Self::Phpass),
            ("$H$", Self::Phpass),
            ("$5$", Self::ShaCrypt),
            ("$6$", Self::ShaCrypt),
            ("$wrapped$", Self::Wrapped),
        ];
        starts.iter().find(|(start, _)| stored.starts_with(start)).map(|(_, format)| *format)
    }

    /// The format's name in rows and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Argon2id => "argon2id",
            Self::Argon2i => "argon2i",
            Self::Bcrypt => "bcrypt",
            Self::Symfony => "symfony-bcrypt",
            Self::WordPress => "wordpress-bcrypt",
            Self::Phpass => "phpass",
            Self::ShaCrypt => "sha-crypt",
            Self::Wrapped => "wrapped",
        }
    }

    /// The format with this name.
    fn named(name: &str) -> Option<Self> {
        [Self::Argon2id].into_iter().chain(Self::LEGACY).find(|format| format.name() == name)
    }
}

impl StoredHash {
    /// The name of the hash's format, as the row of its account has it beside the hash.
    #[must_use]
    pub fn format_name(&self) -> &'static str {
        Format::of(self.as_str()).map_or(UNKNOWN, Format::name)
    }
}

/// The password of an account, as far as it was read. No `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub enum StoredPassword {
    /// There is none.
    None,
    /// Its hash.
    Hash(StoredHash),
    /// There is one, and its hash was not read. Its format; `None` if it is unknown.
    Unread(Option<Format>),
    /// No hash was read, and the row does not say whether there is one.
    Unrecorded,
}

impl StoredPassword {
    /// The password of a row: its hash, if it was read and there is one, and what the row says of its format.
    #[must_use]
    pub fn read(hash: Option<StoredHash>, format: Option<&str>) -> Self {
        match (hash, format) {
            (Some(hash), _) => Self::Hash(hash),
            (None, None) => Self::Unrecorded,
            (None, Some(NONE)) => Self::None,
            (None, Some(name)) => Self::Unread(Format::named(name)),
        }
    }

    /// The hash, if it was read and there is one.
    #[must_use]
    pub fn hash(&self) -> Option<&StoredHash> {
        match self {
            Self::Hash(hash) => Some(hash),
            Self::None | Self::Unread(_) | Self::Unrecorded => None,
        }
    }

    /// Whether there is a password, or may be one.
    #[must_use]
    pub fn may_exist(&self) -> bool {
        *self != Self::None
    }

    /// The format of the hash, if it is known.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        match self {
            Self::Hash(hash) => Format::of(hash.as_str()),
            Self::Unread(format) => *format,
            Self::None | Self::Unrecorded => None,
        }
    }

    /// Whether there is a password whose hash is not of this service's format.
    #[must_use]
    pub fn is_legacy(&self) -> bool {
        matches!(self, Self::Hash(_) | Self::Unread(_)) && self.format() != Some(Format::Argon2id)
    }

    /// The name of the format, `none` without a password, or `unrecorded`. What a row says, if it says anything.
    #[must_use]
    pub fn format_name(&self) -> &'static str {
        match self {
            Self::None => NONE,
            Self::Unrecorded => "unrecorded",
            Self::Hash(_) | Self::Unread(_) => self.format().map_or(UNKNOWN, Format::name),
        }
    }
}
