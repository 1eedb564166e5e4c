//! The kinds of damage, and what to say about each.

use super::super::finding::{Finding, Outcome};

/// A kind of damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Unreadable,
    Unknown,
    SessionWithoutAccount,
    Expired,
    IdentityWithoutAccount,
    IdentityOfAnother,
    AccountWithoutIdentity,
    IdentityElsewhere,
    Counter,
    RepeatedId,
    NoProfileId,
    OtherProfileId,
    Password,
    UnnamedPasskey,
    BrokenPasskey,
}

/// All kinds, in the order in which they are printed.
pub(super) const KINDS: [Kind; 15] = [
    Kind::Unreadable,
    Kind::Unknown,
    Kind::SessionWithoutAccount,
    Kind::Expired,
    Kind::IdentityWithoutAccount,
    Kind::IdentityOfAnother,
    Kind::AccountWithoutIdentity,
    Kind::IdentityElsewhere,
    Kind::Counter,
    Kind::RepeatedId,
    Kind::NoProfileId,
    Kind::OtherProfileId,
    Kind::Password,
    Kind::UnnamedPasskey,
    Kind::BrokenPasskey,
];

/// What the commands in a finding need.
pub(super) struct Tool<'a> {
    /// The options that name the deployment, such as ` --stack accounts`.
    pub(super) options: String,
    pub(super) table: &'a str,
}

impl Kind {
    /// The name of the check.
    pub(super) fn check(self) -> &'static str {
        self.row().0
    }

    /// The finding if there is no damage of this kind.
    pub(super) fn sound(self) -> Finding {
        Finding::ok(self.check(), self.row().1)
    }

    /// What the damaged rows are, at the start of a sentence.
    pub(super) fn damaged(self) -> &'static str {
        self.row().2
    }

    /// How bad it is.
    pub(super) fn outcome(self) -> Outcome {
        if self == Self::Expired { Outcome::Warning } else { Outcome::Problem }
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
        }
    }

    /// What to do about rows that `--fix` does not repair.
    pub(super) fn next(self, tool: &Tool<'_>) -> String {
        let table = tool.table;
        let item = |call: &str, pk: &str, sk: &str| {
            format!(
                "aws dynamodb {call} --table-name {table} --key '{{\"pk\":{{\"S\":\"{pk}\"}},\"sk\":{{\"S\":\"{sk}\"}}}}'"
            )
        };
        let update = |change: &str| {
            let call = item("update-item", "KEY", "profile");
            format!("{call} --condition-expression 'attribute_exists(pk)' --update-expression '{change}'")
        };
        match self {
            Self::Unreadable => format!(
                "{} shows a row; restore it from a backup as infra/restore.md says",
                item("get-item", "KEY", "SORT KEY")
            ),
            Self::Unknown => format!("{}, if no other program needs it", item("delete-item", "KEY", "SORT KEY")),
            Self::Expired => format!(
                "aws dynamodb update-time-to-live --table-name {table} --time-to-live-specification \
                 Enabled=true,AttributeName=expires_at, if it is off"
            ),
            Self::IdentityOfAnother => {
                format!(
                    "`accounts find google:SUB` shows the account; {}",
                    item("delete-item", "google#SUB", "identity")
                )
            }
            Self::AccountWithoutIdentity | Self::IdentityElsewhere => {
                format!(
                    "decide who keeps the google_sub, and remove it from the other: {}",
                    update("REMOVE google_sub")
                )
            }
            Self::RepeatedId => format!(
                "give one of them an id above all others: {} --expression-attribute-values \
                 '{{\":id\":{{\"N\":\"NEW\"}}}}', then {}",
                update("SET id = :id, profile_id = :id"),
                tool.fix()
            ),
            Self::Password => {
                format!(
                    "accounts force-reset ID{} --reason TEXT, and ask the owner to set a new one by mail",
                    tool.options
                )
            }
            Self::BrokenPasskey => {
                format!(
                    "accounts remove-passkey ID PASSKEY{} --reason TEXT; its owner can create another",
                    tool.options
                )
            }
            Self::SessionWithoutAccount
            | Self::UnnamedPasskey
            | Self::IdentityWithoutAccount
            | Self::Counter
            | Self::NoProfileId
            | Self::OtherProfileId => tool.fix(),
        }
    }
}

impl Tool<'_> {
    /// The command that repairs what is safe to repair.
    pub(super) fn fix(&self) -> String {
        format!("accounts doctor{} --data --fix --reason TEXT", self.options)
    }
}
