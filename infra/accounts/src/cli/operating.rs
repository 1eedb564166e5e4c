//! The commands that look after accounts.

use std::time::Duration;

use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format as DateTimeFormat;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use shared::password::legacy::Format;
use shared::store::{IMPORT_ID_MAX, SESSION_ID_LENGTH};
use shared::system::clock::Timestamp;

use super::examples;
use crate::failure::Failure;
use crate::output;

/// The longest reason, in characters.
const REASON_MAX: usize = 500;

#[derive(Subcommand)]
pub(crate) enum Operating {
    /// Print the profile of an account without its secrets, and count its passkeys, sessions and failed logins
    Show {
        /// An address, an id, or `google:` and a subject identifier
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
    /// Remove the password of an account: its sessions end, and its owner sets a new password by mail
    ForceReset(Destroying),
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
    /// An address, an id, or `google:` and a subject identifier
    pub(crate) who: String,
    #[command(flatten)]
    pub(crate) order: Order,
}

/// A change of one account that destroys something.
#[derive(Args)]
pub(crate) struct Destroying {
    /// An address, an id, or `google:` and a subject identifier
    pub(crate) who: String,
    #[command(flatten)]
    pub(crate) confirmed: Confirmed,
}

/// A change of the address of an account.
#[derive(Args)]
#[command(after_long_help = examples::SET_EMAIL)]
pub(crate) struct SettingEmail {
    /// An address, an id, or `google:` and a subject identifier
    pub(crate) who: String,
    /// The new address
    pub(crate) email: String,
    #[command(flatten)]
    pub(crate) confirmed: Confirmed,
}

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_long_help = examples::SESSIONS)]
pub(crate) struct Sessions {
    /// An address, an id, or `google:` and a subject identifier
    #[arg(required = true)]
    pub(crate) who: Option<String>,
    #[command(subcommand)]
    pub(crate) end: Option<SessionsCommand>,
}

#[derive(Subcommand)]
pub(crate) enum SessionsCommand {
    /// End one session of an account, or all of them
    End(Ending),
    /// End the sessions of all accounts
    EndAll(EndingAll),
}

#[derive(Args)]
pub(crate) struct EndingAll {
    #[command(flatten)]
    pub(crate) confirmed: Confirmed,
    #[command(flatten)]
    pub(crate) rate: UnitRate,
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
    /// An address, an id, or `google:` and a subject identifier
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
    /// An address, an id, or `google:` and a subject identifier
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
    /// An address, an id, or `google:` and a subject identifier
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
    /// An address, an id, or `google:` and a subject identifier. The id of an erased account works too
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
        /// An address, an id, or `google:` and a subject identifier. The id of an erased account works too
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
    /// At most this many units a second: one for each read unit and, if the command ends the sessions of a whole table,
    /// one for each session
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

pub(super) fn reason(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > REASON_MAX {
        return Err(format!("write 1 to {REASON_MAX} characters"));
    }
    if text.contains(char::is_control) {
        return Err("write one line of text, without tabs and other control characters".to_owned());
    }
    Ok(text.to_owned())
}

fn moment(text: &str) -> Result<Timestamp, String> {
    let moment = DateTime::from_str(text, DateTimeFormat::DateTime).ok();
    let seconds = moment.and_then(|moment| u64::try_from(moment.secs()).ok());
    seconds.map(Timestamp::from_seconds).ok_or_else(|| "write a time in UTC, such as 2026-11-20T17:30:00Z".to_owned())
}

fn session(text: &str) -> Result<String, String> {
    let is_base64url = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if text.len() != SESSION_ID_LENGTH || !text.bytes().all(is_base64url) {
        return Err(format!("an id has {SESSION_ID_LENGTH} characters; `accounts sessions WHO` prints it"));
    }
    Ok(text.to_owned())
}

fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "write a number and m, h or d, such as 24h".to_owned();
    let unit = text.chars().last().ok_or_else(wrong)?;
    let minutes: u64 = match unit {
        'm' => 1,
        'h' => 60,
        'd' => 24 * 60,
        _ => return Err(wrong()),
    };
    let number: u64 = text.strip_suffix(unit).and_then(|number| number.parse().ok()).ok_or_else(wrong)?;
    number.checked_mul(minutes * 60).map(Duration::from_secs).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_a_number_and_a_unit() {
        for (text, minutes) in [("90m", 90), ("24h", 24 * 60), ("7d", 7 * 24 * 60)] {
            assert_eq!(duration(text), Ok(Duration::from_mins(minutes)), "{text}");
        }
        for text in ["", "h", "24", "24s", "-1h", "1.5h", "h24", "1é", "99999999999999999999d", "9999999999999999999d"]
        {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_moment_is_a_time_in_utc() {
        assert_eq!(moment("2023-11-14T22:13:20Z"), Ok(Timestamp::from_seconds(1_700_000_000)));
        for text in ["", "2023-11-14", "2023-11-14 22:13:20", "2023-11-14T22:13:20+01:00", "1960-01-01T00:00:00Z"] {
            assert!(moment(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_reason_is_one_line_of_text() {
        assert_eq!(reason(" asked by the owner "), Ok("asked by the owner".to_owned()));
        assert!(reason(&"a".repeat(REASON_MAX)).is_ok());
        for text in ["", " \t", "two\nlines", "\u{1b}[31m", &"a".repeat(REASON_MAX + 1)] {
            assert!(reason(text).is_err(), "{text:?}");
        }
    }
}
