//! The commands that look after accounts.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use shared::password::Format;
use shared::store::IMPORT_ID_MAX;
use shared::system::clock::Timestamp;

use super::examples;
use super::values::{duration, moment, reason, session};
use crate::failure::Failure;
use crate::output;

#[derive(Subcommand)]
pub(crate) enum Operating {
    /// Print the profile of an account without its secrets, and count its passkeys, sessions and failed logins
    Show {
        /// An address, an id, `google:` and a subject identifier, or `key:` and a key
        who: String,
    },
    /// List the sessions of an account, or end them
    Sessions(Sessions),
    /// List the passkeys of an account, or remove one
    Passkeys(Passkeys),
    /// Disable an account: its sessions end, and nobody can sign in
    Disable(Ordered),
    /// Enable an account again: its owner can sign in
    Enable(Ordered),
    /// Remove the password of an account, or of many: the sessions end, and each owner sets a new password by mail
    ///
    /// With --all or --from, a journal notes what is done with each account. If the command is interrupted or mails fail, the
    /// same command goes on: it neither removes a new password nor sends a mail again.
    ForceReset(ForcingReset),
    /// Lock an account that somebody else was in: all ways in end but the mailbox and Google, and its owner sets a new password
    /// by mail
    Lock(Destroying),
    /// Prove the address of an account by your word
    ///
    /// If nobody had proved it, somebody else may have registered it: the sessions, the password, the passkeys, the known
    /// browsers and the links from before end, and the owner sets a new password by mail.
    Verify(Destroying),
    /// Give an account another address
    ///
    /// Its sessions and the links that were mailed end. Nobody has proved the new address yet: its owner sets a new password
    /// by mail, or asks for a verification link. The old address is told, and can take the account back for 72 hours.
    SetEmail(SettingEmail),
    /// Erase an account and everything that belongs to it
    ///
    /// An account whose profile cannot be read is erased too. `key:` and the key that `doctor --data` prints name it if nothing
    /// else does.
    Erase(Destroying),
    /// Bring back an account that was erased by mistake, from a restored copy of the table
    ///
    /// Its profile, its address, the link to Google and its passkeys come back as they are in the copy, with its id. Its
    /// sessions, the links that were mailed and its entries do not. Refused if the address or the id is in use again.
    Restore(Restoring),
    /// Print the security events of an account
    Audit(Auditing),
    /// Search the log of the functions, or the gateway's access log, with a query of `CloudWatch` Logs Insights
    Log(Searching),
    /// Print the entries of an account, or erase those of deleted accounts
    Entries(Entries),
    /// Count the accounts, by a scan of the table
    Stats(Stats),
    /// Count or list the accounts whose hash is another system's, or remove such hashes
    Legacy(Legacy),
    /// Make a restored accounts table ready for use
    ///
    /// Ends all sessions, erases the accounts that the log says were erased after the restored moment, and raises the
    /// counter of ids to a million above the stack's own. If the functions of the stack use the table already, it only
    /// erases. Running it again does no harm.
    PrepareRestored(PreparingRestored),
}

/// The options of every change.
#[derive(Args, Clone)]
pub(crate) struct Order {
    /// The reason for the change; it is written into the audit lines
    #[arg(long, value_name = "TEXT", value_parser = reason)]
    pub(crate) reason: String,
    /// Say what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// The options of a change that destroys something, and asks before.
#[derive(Args)]
pub(crate) struct Confirmed {
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) order: Order,
}

impl Confirmed {
    /// Asks to type a word, except with `--yes` and in a dry run.
    pub(crate) fn ask(&self, question: &str, word: &str) -> Result<(), Failure> {
        if self.yes || self.order.dry_run { Ok(()) } else { output::confirm(question, word) }
    }
}

/// A change of one account.
#[derive(Args)]
pub(crate) struct Ordered {
    /// An address, an id, `google:` and a subject identifier, or `key:` and a key
    pub(crate) who: String,
    #[command(flatten)]
    pub(crate) order: Order,
}

/// A change of one account that destroys something.
#[derive(Args)]
pub(crate) struct Destroying {
    /// An address, an id, `google:` and a subject identifier, or `key:` and a key
    pub(crate) who: String,
    #[command(flatten)]
    pub(crate) confirmed: Confirmed,
}

impl Destroying {
    /// The account, and the other options.
    pub(crate) fn parts(&self) -> (&str, &Confirmed) {
        (&self.who, &self.confirmed)
    }
}

/// The removal of the password of one account, or of many.
#[derive(Args)]
#[command(after_long_help = examples::FORCE_RESET)]
pub(crate) struct ForcingReset {
    /// An address, an id, `google:` and a subject identifier, or `key:` and a key
    #[arg(required_unless_present_any = ["all", "from"], conflicts_with_all = ["all", "from", "mail", "journal"])]
    pub(crate) who: Option<String>,
    /// All accounts that have a password
    #[arg(long, conflicts_with = "from")]
    pub(crate) all: bool,
    /// The accounts in a file: an address or an id on each line
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// Mail each owner a link to set a new password
    #[arg(long)]
    pub(crate) mail: bool,
    /// The file that notes what is done with each account, for --all and --from
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// At most this many accounts a second, for --all and --from. Keep it below the rate of SES
    /// (`aws sesv2 get-account`)
    #[arg(long, value_name = "ACCOUNTS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rate: u32,
    #[command(flatten)]
    pub(crate) confirmed: Confirmed,
}

/// A change of the address of an account.
#[derive(Args)]
#[command(after_long_help = examples::SET_EMAIL)]
pub(crate) struct SettingEmail {
    /// An address, an id, `google:` and a subject identifier, or `key:` and a key
    pub(crate) who: String,
    /// The new address
    pub(crate) email: String,
    #[command(flatten)]
    pub(crate) confirmed: Confirmed,
}

/// An account that comes back.
#[derive(Args)]
#[command(after_long_help = examples::RESTORE)]
pub(crate) struct Restoring {
    /// An address, an id, `google:` and a subject identifier, or `key:` and a key, as in the copy
    pub(crate) who: String,
    /// The copy: the table that was restored from the backup
    #[arg(long, value_name = "TABLE")]
    pub(crate) from: String,
    #[command(flatten)]
    pub(crate) confirmed: Confirmed,
}

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_long_help = examples::SESSIONS)]
pub(crate) struct Sessions {
    /// An address, an id, `google:` and a subject identifier, or `key:` and a key
    #[arg(required = true)]
    pub(crate) who: Option<String>,
    #[command(subcommand)]
    pub(crate) end: Option<SessionsCommand>,
}

#[derive(Subcommand)]
pub(crate) enum SessionsCommand {
    /// End one session of an account, or all of them
    End(Ending),
    /// End the sessions of everybody who has signed in so far, or before a time
    ///
    /// One write, which takes effect everywhere within a minute. The time of an earlier run never moves back.
    EndAll(EndingAll),
}

#[derive(Args)]
pub(crate) struct EndingAll {
    /// End only the sessions of those who signed in before this time, such as 2026-11-20T17:30:00Z; by default, now
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) before: Option<Timestamp>,
    #[command(flatten)]
    pub(crate) confirmed: Confirmed,
}

#[derive(Args)]
#[command(after_long_help = examples::PREPARE_RESTORED)]
pub(crate) struct PreparingRestored {
    /// The name of the restored table
    pub(crate) table: String,
    /// The moment to which it was restored, such as 2026-11-20T17:30:00Z
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) moment: Timestamp,
    /// The highest id that any account has had, or a higher one, if the stack's own table does not exist any more
    #[arg(long, value_name = "ID", value_parser = clap::value_parser!(u64).range(..=IMPORT_ID_MAX))]
    pub(crate) last_id: Option<u64>,
    #[command(flatten)]
    pub(crate) confirmed: Confirmed,
    #[command(flatten)]
    pub(crate) rate: UnitRate,
}

#[derive(Args)]
pub(crate) struct Ending {
    /// An address, an id, `google:` and a subject identifier, or `key:` and a key
    pub(crate) who: String,
    /// The id of the session, as `sessions` prints it
    #[arg(required_unless_present = "all", allow_hyphen_values = true, value_parser = session)]
    pub(crate) session: Option<String>,
    /// End all sessions
    #[arg(long, conflicts_with = "session")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) order: Order,
}

/// Where a search of the log begins.
#[derive(Args)]
pub(crate) struct Since {
    /// How far back: a number and `m`, `h` or `d`
    #[arg(long = "since", value_name = "TIME", default_value = "24h", value_parser = duration)]
    back: Duration,
}

impl Since {
    /// The time at which the search begins.
    pub(crate) fn before(&self, now: Timestamp) -> Timestamp {
        let back = u64::try_from(self.back.as_millis()).unwrap_or(u64::MAX);
        Timestamp::from_milliseconds(now.milliseconds().saturating_sub(back))
    }
}

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_long_help = examples::PASSKEYS)]
pub(crate) struct Passkeys {
    /// An address, an id, `google:` and a subject identifier, or `key:` and a key
    #[arg(required = true)]
    pub(crate) who: Option<String>,
    #[command(subcommand)]
    pub(crate) remove: Option<PasskeysCommand>,
}

#[derive(Subcommand)]
pub(crate) enum PasskeysCommand {
    /// Remove a passkey of an account
    ///
    /// Nobody can log in with it any more. Sessions that it has opened stay; `sessions end` ends them.
    Remove(Discarding),
}

#[derive(Args)]
pub(crate) struct Discarding {
    /// An address, an id, `google:` and a subject identifier, or `key:` and a key
    pub(crate) who: String,
    /// The id of the passkey, as `passkeys` prints it
    #[arg(allow_hyphen_values = true)]
    pub(crate) passkey: String,
    #[command(flatten)]
    pub(crate) confirmed: Confirmed,
}

#[derive(Args)]
#[command(after_long_help = examples::AUDIT)]
pub(crate) struct Auditing {
    /// An address, an id, `google:` and a subject identifier, or `key:` and a key. The id of an erased account works too
    pub(crate) who: String,
    #[command(flatten)]
    pub(crate) since: Since,
}

#[derive(Args)]
#[command(after_long_help = examples::LOG)]
pub(crate) struct Searching {
    /// The query, in the language of Logs Insights
    pub(crate) query: String,
    #[command(flatten)]
    pub(crate) since: Since,
    /// Search the gateway's access log, which has the clients' addresses
    #[arg(long)]
    pub(crate) gateway: bool,
}

#[derive(Args)]
#[command(after_long_help = examples::ENTRIES)]
pub(crate) struct Entries {
    #[command(subcommand)]
    pub(crate) command: EntriesCommand,
}

#[derive(Subcommand)]
pub(crate) enum EntriesCommand {
    /// Print the entries of an account as NDJSON, oldest first, in the format of `export --entries`
    Export {
        /// An address, an id, `google:` and a subject identifier, or `key:` and a key. The id of an erased account works too
        who: String,
    },
    /// Erase the entries of the accounts that were deleted since a moment, after a restore of the entries table
    EraseDeleted(ErasingDeleted),
}

#[derive(Args)]
pub(crate) struct ErasingDeleted {
    /// The moment to which the table was restored, such as 2026-11-20T17:30:00Z
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) moment: Timestamp,
    #[command(flatten)]
    pub(crate) confirmed: Confirmed,
}

#[derive(Args)]
pub(crate) struct Stats {
    /// Also count the entries, by a scan of their table
    #[arg(long)]
    pub(crate) entries: bool,
    #[command(flatten)]
    pub(crate) rate: UnitRate,
}

#[derive(Args)]
pub(crate) struct UnitRate {
    /// At most this many read units a second
    #[arg(long = "rate", value_name = "UNITS", default_value_t = 2500, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) units: u32,
}

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, after_long_help = examples::LEGACY)]
pub(crate) struct Legacy {
    #[command(subcommand)]
    pub(crate) remove: Option<LegacyCommand>,
    /// Print a line for each account
    #[arg(long)]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) rate: UnitRate,
}

#[derive(Subcommand)]
pub(crate) enum LegacyCommand {
    /// Remove the hashes of a format; their owners set a new password by mail
    Remove(Removing),
}

#[derive(Args)]
pub(crate) struct Removing {
    /// The format, as `legacy` prints it
    #[arg(long, value_parser = PossibleValuesParser::new(Format::LEGACY.map(Format::name)))]
    pub(crate) format: String,
    #[command(flatten)]
    pub(crate) confirmed: Confirmed,
    #[command(flatten)]
    pub(crate) rate: UnitRate,
}
