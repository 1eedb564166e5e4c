//! The kinds of damage.

/// A kind of damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A row that the service cannot read.
    Unreadable,
    /// A row that the service does not write.
    Unknown,
    /// A session whose account does not exist.
    SessionWithoutAccount,
    /// A row that expired more than seven days ago.
    Expired,
    /// An identity whose account does not exist.
    IdentityWithoutAccount,
    /// An identity whose account has another one, or none.
    IdentityOfAnother,
    /// An account whose identity does not exist.
    AccountWithoutIdentity,
    /// An account whose identity is linked to another account.
    IdentityElsewhere,
    /// The counter of ids, below the largest id.
    Counter,
    /// The counter of ids, near its end.
    CounterEnd,
    /// An account with the id of another.
    RepeatedId,
    /// An account without `profile_id`.
    NoProfileId,
    /// An account whose `profile_id` is not its id.
    OtherProfileId,
    /// An account whose password hash no login can verify.
    Password,
    /// A passkey, or a pointer, that no account names.
    UnnamedPasskey,
    /// A passkey that lacks its row or its pointer.
    BrokenPasskey,
    /// A pointer of an address whose account has another address, or does not exist.
    StaleAddress,
    /// An account that its address does not lead to.
    LostAddress,
}

/// All kinds, in the order in which they are printed.
pub const KINDS: [Kind; 18] = [
    Kind::Unreadable,
    Kind::Unknown,
    Kind::SessionWithoutAccount,
    Kind::Expired,
    Kind::IdentityWithoutAccount,
    Kind::IdentityOfAnother,
    Kind::AccountWithoutIdentity,
    Kind::IdentityElsewhere,
    Kind::Counter,
    Kind::CounterEnd,
    Kind::RepeatedId,
    Kind::NoProfileId,
    Kind::OtherProfileId,
    Kind::Password,
    Kind::UnnamedPasskey,
    Kind::BrokenPasskey,
    Kind::StaleAddress,
    Kind::LostAddress,
];

impl Kind {
    /// The name of the check.
    #[must_use]
    pub fn check(self) -> &'static str {
        self.row().0
    }

    /// A sentence that says that there is no damage of this kind.
    #[must_use]
    pub fn sound(self) -> &'static str {
        self.row().1
    }

    /// What the damaged rows are, at the start of a sentence.
    #[must_use]
    pub fn damaged(self) -> &'static str {
        self.row().2
    }

    /// The name of the check, the sentence if there is no damage, and what the damaged rows are.
    fn row(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Unreadable => (
                "rows-readable",
                "The service can read all rows.",
                "Rows that the service cannot read, so that their accounts get errors",
            ),
            Self::Unknown => ("rows-known", "The service knows all rows.", "Rows that the service does not know"),
            Self::SessionWithoutAccount => {
                ("sessions", "Every session has an account.", "Sessions without an account, with these keys")
            }
            Self::Expired => (
                "rows-expired",
                "No row has been expired for more than 7 days.",
                "Rows that TTL has not deleted 7 days after their expiry, with these keys",
            ),
            Self::IdentityWithoutAccount => (
                "identities",
                "Every identity has an account.",
                "Identities of accounts that do not exist, so that their owners cannot sign in with Google",
            ),
            Self::IdentityOfAnother => (
                "identities-agree",
                "Every account has the identity that is linked to it.",
                "Identities of accounts that have no such google_sub, so that their owners cannot sign in with Google",
            ),
            Self::AccountWithoutIdentity => {
                ("google-linked", "Every google_sub has its identity.", "Accounts whose google_sub has no identity")
            }
            Self::IdentityElsewhere => (
                "google-agrees",
                "Every google_sub belongs to one account.",
                "Accounts whose google_sub is linked to another account",
            ),
            Self::Counter => (
                "ids-counter",
                "The counter of ids is not below any id.",
                "The counter of ids is below the largest id, and ids would repeat",
            ),
            Self::CounterEnd => (
                "ids-left",
                "The counter of ids has ids left for new accounts.",
                "The counter of ids is at its end, and nobody can register soon or already",
            ),
            Self::RepeatedId => ("ids-unique", "Every id has one account.", "Accounts that share an id"),
            Self::NoProfileId => (
                "ids-indexed",
                "`accounts find ID` finds every account.",
                "Accounts that `accounts find ID` does not find, because they have no profile_id",
            ),
            Self::OtherProfileId => (
                "ids-agree",
                "Every profile_id is the account's id.",
                "Accounts that `accounts find ID` finds under another id, because their profile_id is not their id",
            ),
            Self::Password => (
                "passwords",
                "A login can verify every password hash.",
                "Accounts whose password hash no login can verify",
            ),
            Self::UnnamedPasskey => (
                "passkeys",
                "An account names each passkey.",
                "Passkeys, or pointers to their accounts, that no account names, so that they open nothing",
            ),
            Self::BrokenPasskey => (
                "passkeys-whole",
                "Every passkey of an account has its rows.",
                "Accounts and their passkeys that lack a row, so that they open nothing",
            ),
            Self::StaleAddress => (
                "addresses",
                "Every pointer of an address names the account that has it.",
                "Pointers of addresses that their accounts do not have, so that nobody can register them",
            ),
            Self::LostAddress => (
                "addresses-agree",
                "Every address leads to its account.",
                "Accounts that their address does not lead to, so that their owners cannot sign in with it",
            ),
        }
    }
}
