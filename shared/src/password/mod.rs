//! Passwords and their hashes. A password is the exact bytes that the client sent; it is wiped after use and never
//! printed.

mod argon2id;
mod common_passwords;
mod format;
mod hashing;
#[cfg(feature = "legacy-hashes")]
pub mod legacy;
mod stored;

pub use common_passwords::{CommonPasswords, PersonalWords};
pub use format::{Format, StoredPassword};
pub use hashing::{Passwords, Verdict};
pub use stored::{StoredHash, Unusable};

use std::sync::Arc;

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::problem::Problem;

/// The length of the shortest password, in code points. A login refuses shorter passwords too, so after a higher number
/// nobody can log in with a shorter password.
const LENGTH_MIN: usize = 8;

/// A password that meets the policy: at least 8 code points, an uppercase letter of any script, a digit from 0 to 9,
/// and no maximum length. It has no `Debug`, `Display` or `Serialize`.
///
/// Clones share the bytes, because copying and wiping a long password takes noticeable time. The last clone wipes them.
#[derive(Clone)]
pub struct Password(Arc<Zeroizing<String>>);

impl Password {
    /// Checks a password that a client sent, and keeps its exact bytes.
    ///
    /// # Errors
    /// [`Problem::PasswordWeak`] when the password does not meet the policy.
    pub fn parse(text: Zeroizing<String>) -> Result<Self, Problem> {
        let strong = text.chars().count() >= LENGTH_MIN
            && (has(&text, u8::is_ascii_uppercase) || text.chars().any(char::is_uppercase))
            && has(&text, u8::is_ascii_digit);
        if strong { Ok(Self(Arc::new(text))) } else { Err(Problem::PasswordWeak) }
    }

    /// The text, for the check of common passwords.
    fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The bytes to hash.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// Whether any byte is of a kind. The loop over a block does not stop early, so that the compiler can vectorise it: the
/// check of a password of megabytes must not take much longer than its hash.
fn has(text: &str, kind: impl Fn(&u8) -> bool) -> bool {
    const BLOCK: usize = 1024;
    text.as_bytes().chunks(BLOCK).any(|block| block.iter().fold(false, |found, byte| found | kind(byte)))
}

/// A new password: it meets the policy, is not common, and equals its confirmation.
pub struct NewPassword(Password);

impl NewPassword {
    /// Checks a password and its confirmation. `personal` has the words of the owner's address and name.
    ///
    /// # Errors
    /// [`Problem::PasswordWeak`], then [`Problem::PasswordCommon`], then [`Problem::PasswordsDiffer`].
    pub fn parse(
        text: Zeroizing<String>,
        confirmation: &str,
        common: CommonPasswords,
        personal: &PersonalWords,
    ) -> Result<Self, Problem> {
        let password = Password::parse(text)?;
        common.check(&password, personal)?;
        if bool::from(password.as_bytes().ct_eq(confirmation.as_bytes())) {
            Ok(Self(password))
        } else {
            Err(Problem::PasswordsDiffer)
        }
    }

    /// The password.
    #[must_use]
    pub fn into_password(self) -> Password {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Setup;

    fn password(text: &str) -> Result<Password, Problem> {
        Password::parse(Zeroizing::new(text.to_owned()))
    }

    #[test]
    fn length_is_counted_in_code_points() {
        assert!(password("Ñandú12").is_err());
        assert!(password("Ñandú123").is_ok());
        assert!(password("A1😀😀😀😀😀").is_err());
        assert!(password("A1😀😀😀😀😀😀").is_ok());
    }

    #[test]
    fn an_uppercase_letter_of_any_script_and_a_digit_are_required() {
        assert!(password("password1").is_err());
        assert!(password("Passwords").is_err());
        assert!(password("ñandúes1").is_err());
        assert!(password("écouteÉ7").is_ok());
        assert!(password("Password½").is_err());
        assert!(password("PasswordⅧ").is_err());
    }

    #[test]
    fn a_password_is_not_trimmed_and_has_no_maximum_length() {
        assert_eq!(password(" Passw0rd ").unwrap().as_bytes(), b" Passw0rd ");
        assert!(password(&format!("A1{}", "x".repeat(4_000_000))).is_ok());
        assert!(password("Passw0rd\0").is_ok());
    }

    #[test]
    fn a_confirmation_must_be_the_same_bytes() {
        let common = CommonPasswords::new(Setup::for_tests([("COMMON_PASSWORDS", "accept")]).settings());
        let new = |confirmation| {
            NewPassword::parse(Zeroizing::new("Passw0rd".to_owned()), confirmation, common, &PersonalWords::default())
        };
        assert!(new("Passw0rd").is_ok());
        assert!(matches!(new("passw0rd"), Err(Problem::PasswordsDiffer)));
        assert!(matches!(new(""), Err(Problem::PasswordsDiffer)));
    }
}
