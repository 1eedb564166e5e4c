//! What to do about each kind of damage.

use table_checks::Kind;

/// What the commands in a finding need.
pub(super) struct Tool<'a> {
    /// The options that name the deployment, such as ` --stack accounts`.
    pub(super) options: String,
    pub(super) table: &'a str,
    /// The start of a command of the AWS CLI on the tables.
    pub(super) aws: &'a str,
}

impl Tool<'_> {
    /// The command that repairs what is safe to repair.
    pub(super) fn fix(&self) -> String {
        format!("accounts doctor{} --data --fix --reason TEXT", self.options)
    }
}

/// What to do about rows that `--fix` does not repair.
pub(super) fn next(kind: Kind, tool: &Tool<'_>) -> String {
    let Tool { table, aws, .. } = tool;
    let item = |call: &str, pk: &str, sk: &str| {
        format!("{aws} {call} --table-name {table} --key '{{\"pk\":{{\"S\":\"{pk}\"}},\"sk\":{{\"S\":\"{sk}\"}}}}'")
    };
    let update = |change: &str| {
        let call = item("update-item", "KEY", "profile");
        format!("{call} --condition-expression 'attribute_exists(pk)' --update-expression '{change}'")
    };
    match kind {
        Kind::Unreadable => format!(
            "`accounts show key:KEY{}` names what is wrong with a profile: repair it, or erase the account with `accounts \
             erase key:KEY`; `accounts sessions end-all{} --reason TEXT` replaces the row `sessions`; {} shows any other row, which \
             may be deleted",
            tool.options,
            tool.options,
            item("get-item", "KEY", "SORT KEY")
        ),
        Kind::Unknown => format!("{}, if no other program needs it", item("delete-item", "KEY", "SORT KEY")),
        Kind::Expired => format!(
            "{aws} update-time-to-live --table-name {table} --time-to-live-specification \
             Enabled=true,AttributeName=expires_at, if it is off"
        ),
        Kind::IdentityOfAnother => {
            format!("`accounts find google:SUB` shows the account; {}", item("delete-item", "google#SUB", "identity"))
        }
        Kind::AccountWithoutIdentity | Kind::IdentityElsewhere => {
            format!("decide who keeps the google_sub, and remove it from the other: {}", update("REMOVE google_sub"))
        }
        Kind::RepeatedId => format!(
            "give one of them an id above all others: {} --expression-attribute-values \
             '{{\":id\":{{\"N\":\"NEW\"}}}}', then {}",
            update("SET id = :id, profile_id = :id"),
            tool.fix()
        ),
        Kind::Password => {
            format!("accounts force-reset ID{} --reason TEXT, and ask the owner to set a new one by mail", tool.options)
        }
        Kind::LostAddress => format!(
            "another account has the address: accounts set-email ID ADDRESS{} --reason TEXT gives it another one",
            tool.options
        ),
        Kind::BrokenPasskey => {
            format!("accounts passkeys remove ID PASSKEY{} --reason TEXT; its owner can create another", tool.options)
        }
        Kind::SessionWithoutAccount
        | Kind::UnnamedPasskey
        | Kind::StaleAddress
        | Kind::IdentityWithoutAccount
        | Kind::Counter
        | Kind::CounterEnd
        | Kind::NoProfileId
        | Kind::OtherProfileId => tool.fix(),
    }
}
