//! The command line. The commands of `crate::operating` are in `operating`; import, export, find, doctor and completions are
//! here.

mod examples;
mod operating;
mod values;

pub(crate) use operating::{
    Auditing, Confirmed, Destroying, Discarding, Ending, EndingAll, EntriesCommand, ErasingDeleted, ForcingReset,
    Legacy, LegacyCommand, Operating, Order, Ordered, PasskeysCommand, PreparingRestored, Removing, Restoring,
    Searching, SessionsCommand, SettingEmail, Since, Stats,
};

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use values::{duration, reason};

use crate::failure::Failure;

/// Moves users in and out of the service, and looks after their accounts.
///
/// Data goes to standard output, progress and questions to standard error. Exit codes: 0 done, 1 failed, 2 an import
/// refused rows (also in a dry run), an export left out rows or `doctor` found problems, 3 wrong usage, 4 not found.
#[derive(Parser)]
#[command(version, max_term_width = 100, after_long_help = examples::ALL)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) target: Target,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The deployment to work on: a stack of an AWS account, or the local stack.
#[derive(Args)]
#[command(group = ArgGroup::new("deployment").args(["stack", "local"]))]
pub(crate) struct Target {
    /// Name of the CloudFormation stack. Its outputs name the tables
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) stack: Option<String>,
    /// The stack of `make dev` on this computer (`DYNAMODB_PORT`, `PORT`)
    #[arg(long, global = true)]
    pub(crate) local: bool,
    /// AWS region; the default is `AWS_REGION`, or the profile's region
    #[arg(long, global = true, value_name = "REGION")]
    pub(crate) region: Option<String>,
    /// Profile of the AWS configuration; the default is `AWS_PROFILE`, or `default`
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Print JSON instead of tables
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Import users of another system
    ///
    /// Run it again as often as you like: rows that have not changed cost a read, rows that have changed in the file are
    /// updated, and accounts that have changed here since their import are left as they are.
    Import(Import),
    /// Write all accounts to a file or to standard output, in the format that `import` reads; or all entries
    ///
    /// The lines are in no particular order. If the command is interrupted or fails, the same command continues it, except
    /// on standard output.
    Export(Export),
    /// Find an account by address, id, google:SUB or key:KEY
    Find {
        /// An address, an id, `google:` and a subject identifier, or `key:` and a key
        who: String,
    },
    /// Check the deployment, and with `--data` every row of the accounts table
    ///
    /// Checks tables, mail, alarms, logs and quotas, and says for each problem what to do. Exit codes: 0 no problems, 1 a
    /// check could not run, 2 problems.
    Doctor(Doctor),
    /// Find accounts whose audit lines no order of requests explains
    ///
    /// For example the use of a session that had ended or that nobody opened, or a call without its event. Exit codes: 0 every
    /// line fits, 2 some do not. The page docs/accounts.md says what it cannot find.
    VerifyLog(Verifying),
    #[command(flatten)]
    Operating(Operating),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Args)]
#[command(after_long_help = examples::VERIFY_LOG)]
pub(crate) struct Verifying {
    /// A file with the lines of all functions, in place of the log of a stack; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "back")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) since: Since,
    /// How long a session lasts at most (`SessionAbsoluteSeconds`): a number and `m`, `h` or `d`
    #[arg(long, value_name = "TIME", default_value = "7d", value_parser = duration)]
    pub(crate) longest_session: Duration,
}

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_long_help = examples::IMPORT)]
pub(crate) struct Import {
    #[command(subcommand)]
    pub(crate) undo: Option<ImportCommand>,
    #[command(flatten)]
    pub(crate) options: Option<ImportOptions>,
}

#[derive(Subcommand)]
pub(crate) enum ImportCommand {
    /// Delete the accounts that an import created and that nobody has used or changed since
    Undo(Undoing),
}

#[derive(Args)]
pub(crate) struct Undoing {
    /// The report of the import
    pub(crate) report: PathBuf,
    #[command(flatten)]
    pub(crate) confirmed: Confirmed,
}

#[derive(Args, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command")]
pub(crate) struct ImportOptions {
    /// The file; `-` reads standard input
    pub(crate) file: PathBuf,
    /// Format of the file; by default, its name decides
    #[arg(long)]
    pub(crate) format: Option<Format>,
    /// A field of the import and the column that holds it. Can be repeated
    ///
    /// The fields are `id`, `email`, `name`, `url_image`, `accept_news`, `news_changed_at`, `terms_accepted_at`, `terms_version`, `password`, `salt`, `google_sub`, `email_verified`,
    /// `created_at`, `disabled_at` (1 or a time for a user who may not sign in; 0 or NULL for all others) and `generation`.
    #[arg(long = "map", value_name = "FIELD=COLUMN", value_parser = pair)]
    pub(crate) maps: Vec<(String, String)>,
    /// Which users have proved that they receive the mail of their address: `all`, `none`, or the column that says it
    #[arg(long, value_name = "all|none|COLUMN")]
    pub(crate) proved: String,
    /// A file of lines `OLD,NEW` that maps avatars; NEW is `01` to `10`, or `default`
    #[arg(long, value_name = "FILE")]
    pub(crate) avatar_map: Option<PathBuf>,
    /// The bcrypt hashes are from Symfony, which first hashes passwords of more than 72 bytes with SHA-512
    #[arg(long)]
    pub(crate) symfony: bool,
    /// Whether the salt of MD5 and SHA-1 hashes comes before or after the password
    #[arg(long, value_name = "PLACE")]
    pub(crate) salt: Option<SaltPlace>,
    /// What a backslash in a CSV file means. MySQL's INTO OUTFILE writes `\"` for a quote
    #[arg(long, value_name = "MEANING")]
    pub(crate) csv_backslash: Option<Backslash>,
    /// If no login can verify a user's hash, import the user without a password, to be set by mail
    #[arg(long)]
    pub(crate) without_password_if_unknown: bool,
    /// Leave out a user who has no account here and whose id is at most the largest id of earlier imports: the owner
    /// may have deleted the account here
    #[arg(long)]
    pub(crate) without_deleted: bool,
    /// Give an account the new address of its user, if it has not changed here since its import. Its sessions end
    #[arg(long)]
    pub(crate) move_addresses: bool,
    /// Append to this file, as lines of JSON, the rows that were refused, changed or left, and why
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Keep the Argon2id hashes of MD5 and SHA-1 hashes in this file, so that later runs do not compute them again. Keep it as
    /// you keep the users' file
    #[arg(long, value_name = "FILE")]
    pub(crate) hash_cache: Option<PathBuf>,
    /// At most this many writes a second
    #[arg(long, value_name = "WRITES", default_value_t = 2500, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rate: u32,
    /// Say what would be imported, and write nothing to the tables
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Comma-separated values with a header
    Csv,
    /// A JSON object on each line
    Ndjson,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SaltPlace {
    /// hash(salt + password)
    First,
    /// hash(password + salt)
    Last,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backslash {
    /// In a field in quotes, the character after it stands for itself
    Escape,
    /// It stands for itself, and a quote is doubled
    Text,
}

#[derive(Args)]
#[command(after_long_help = examples::EXPORT)]
pub(crate) struct Export {
    /// The file, which must not exist unless it is an unfinished export; by default and with `-`, standard output
    #[arg(default_value = "-", hide_default_value = true)]
    pub(crate) file: PathBuf,
    /// Write the received entries instead of the accounts
    #[arg(long, conflicts_with = "with_hashes")]
    pub(crate) entries: bool,
    /// Also write the hashes of the passwords. Keep such a file as you keep passwords
    #[arg(long)]
    pub(crate) with_hashes: bool,
    /// At most this many read units a second
    #[arg(long, value_name = "UNITS", default_value_t = 2500, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rate: u32,
}

impl Export {
    /// Whether there is no file.
    pub(crate) fn is_to_stdout(&self) -> bool {
        self.file.as_os_str() == "-"
    }
}

#[derive(Args)]
#[command(after_long_help = examples::DOCTOR)]
pub(crate) struct Doctor {
    /// Also read the whole accounts table and look for damaged rows. This takes about 100 bytes of memory for each
    /// account, 100 more if it is linked to Google, and 200 for each damaged row
    #[arg(long)]
    pub(crate) data: bool,
    /// Also read the hashes of the passwords, and check that a login can verify each
    #[arg(long, requires = "data")]
    pub(crate) with_hashes: bool,
    #[command(flatten)]
    pub(crate) fixing: Fixing,
    /// At most this many read and write units a second
    #[arg(long, value_name = "UNITS", default_value_t = 2500, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rate: u32,
}

/// The options of `--fix`. [`Fixing::repairing`] combines them.
#[derive(Args)]
pub(crate) struct Fixing {
    /// Repair what is safe to repair. Never deletes an account. Needs `--reason`, except in a dry run
    #[arg(long, requires = "data")]
    pub(crate) fix: bool,
    /// The reason, which `--fix` writes to the audit lines
    #[arg(long, value_name = "TEXT", value_parser = reason, requires = "fix")]
    pub(crate) reason: Option<String>,
    /// Only say what `--fix` would do
    #[arg(long, requires = "fix")]
    pub(crate) dry_run: bool,
    /// Do not ask
    #[arg(long, requires = "fix")]
    pub(crate) yes: bool,
}

/// What `doctor --data` does about damaged rows.
#[derive(Clone, Copy)]
pub(crate) enum Repairing<'a> {
    No,
    DryRun,
    Yes { reason: &'a str, ask: bool },
}

impl Fixing {
    /// What to do about damaged rows; an error if the reason is missing.
    pub(crate) fn repairing(&self) -> Result<Repairing<'_>, Failure> {
        match (self.fix, self.dry_run, &self.reason) {
            (false, ..) => Ok(Repairing::No),
            (true, true, _) => Ok(Repairing::DryRun),
            (true, false, Some(reason)) => Ok(Repairing::Yes { reason, ask: !self.yes }),
            (true, false, None) => Err(Failure::Usage("--fix needs --reason TEXT, or --dry-run".to_owned())),
        }
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (field, column) = text.split_once('=').ok_or("write FIELD=COLUMN, such as name=full_name")?;
    if field.is_empty() || column.is_empty() {
        return Err("write FIELD=COLUMN, such as name=full_name".to_owned());
    }
    Ok((field.to_owned(), column.to_owned()))
}
