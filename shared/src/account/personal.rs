//! The words of an account that make a password easy to guess.

use super::{Account, Email};
use crate::password::PersonalWords;

impl PersonalWords {
    /// The words of an address and of a name.
    #[must_use]
    pub fn of_owner(email: &Email, name: &str) -> Self {
        Self::of([email.as_str(), email.local_part(), email.domain(), name])
    }

    /// The words of an account, and of the name that it is about to get.
    #[must_use]
    pub fn of_account(account: &Account, new_name: &str) -> Self {
        let email = &account.email;
        Self::of([email.as_str(), email.local_part(), email.domain(), &account.name, new_name])
    }
}
