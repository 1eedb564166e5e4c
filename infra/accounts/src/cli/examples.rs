//! The examples at the end of the long help. A test parses each of them.

pub(super) const ALL: &str = r#"Examples:
  accounts --local find ana@example.com
  accounts --stack accounts show google:110169484474386276334
  accounts --stack accounts disable 42 --reason "phone stolen"
  accounts --stack accounts erase ana@example.com --reason "asked by the owner" --dry-run
  accounts --stack accounts stats --json"#;

pub(super) const IMPORT: &str = r#"Examples:
  What would happen, with a line in the report for every row that needs attention:
    accounts --stack accounts import users.ndjson --proved email_verified --report report.ndjson --dry-run
  Users of a shop with salted MD5 hashes, whose columns have other names:
    accounts --stack accounts import users.csv --proved none --map name=full_name --salt first
  From a database, without a file:
    mariadb --batch --raw --skip-column-names --quick --default-character-set=utf8mb4 shop < takeout.sql |
      accounts --stack accounts import - --format ndjson --proved all
  Delete the accounts that an import created and that nobody has used or changed since:
    accounts --stack accounts import undo report.ndjson --reason "wrong file" --dry-run"#;

pub(super) const EXPORT: &str = r"Examples:
  accounts --stack accounts export accounts.ndjson --with-hashes
  accounts --stack accounts export entries.ndjson --entries --rate 500";

pub(super) const DOCTOR: &str = r#"Examples:
  accounts --stack accounts doctor
  accounts --stack accounts doctor --data --fix --dry-run
  accounts --stack accounts doctor --data --fix --reason "after a restore""#;

pub(super) const SESSIONS: &str = r#"Examples:
  accounts --stack accounts sessions 42
  accounts --stack accounts sessions end 42 NuDB4LWz6yFi --reason "asked by the owner"
  accounts --stack accounts sessions end 42 --all --reason "phone stolen"
  accounts --stack accounts sessions end-all --reason "after a break-in" --dry-run
  accounts --stack accounts sessions end-all --before 2026-11-20T17:30:00Z --reason "a leaked backup of that day""#;

pub(super) const PASSKEYS: &str = r#"Examples:
  accounts --stack accounts passkeys ana@example.com
  accounts --stack accounts passkeys remove 42 3q2-7wAbCdEfGhIjKlMnOpQrStUvWxYz0123456789A --reason "phone stolen""#;

pub(super) const FORCE_RESET: &str = r#"Examples:
  accounts --stack accounts force-reset ana@example.com --reason "asked by the owner"
  All passwords, after a leak of the hashes. First what would happen:
    accounts --stack accounts force-reset --all --mail --reason "leaked hashes" --dry-run
    accounts --stack accounts force-reset --all --mail --journal reset.ndjson --reason "leaked hashes"
    accounts --stack accounts force-reset --from ids.txt --mail --journal ids.ndjson --reason "leaked hashes""#;

pub(super) const SET_EMAIL: &str = r#"Examples:
  accounts --stack accounts set-email 42 ana.nueva@example.com --reason "asked by the owner, identity card seen""#;

pub(super) const VERIFY_LOG: &str = r"Examples:
  accounts --stack accounts verify-log --since 30d
  accounts --json verify-log --file lines.ndjson";

pub(super) const AUDIT: &str = r"Examples:
  accounts --stack accounts audit ana@example.com --since 7d
  accounts --stack accounts audit 42 --json";

pub(super) const LOG: &str = r#"Examples:
  accounts --stack accounts log "filter level = 'ERROR' | stats count(*) as calls by function, fault.cause" --since 1h
  accounts --stack accounts log "stats count(*) as calls by client.address | sort calls desc" --gateway"#;

pub(super) const ENTRIES: &str = r#"Examples:
  accounts --stack accounts entries export ana@example.com
  accounts --local entries export 42
  accounts --stack accounts entries erase-deleted --moment 2026-11-20T17:30:00Z --reason "a bad release" --dry-run"#;

pub(super) const PREPARE_RESTORED: &str = r#"Examples:
  accounts --stack accounts prepare-restored accounts-202611220900 --moment 2026-11-20T17:30:00Z --reason "a bad release" --dry-run"#;

pub(super) const RESTORE: &str = r#"Examples:
  accounts --stack accounts restore ana@example.com --from accounts-202611220900 --reason "erased by mistake" --dry-run"#;

pub(super) const LEGACY: &str = r#"Examples:
  accounts --stack accounts legacy --list
  accounts --stack accounts legacy remove --format phpass --reason "a year after the import" --dry-run"#;

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::cli::Cli;

    /// The words of a command; quotes hold words together.
    fn words(command: &str) -> Vec<String> {
        let mut words = Vec::new();
        for (index, part) in command.split('"').enumerate() {
            match (index % 2, part) {
                (0, part) => words.extend(part.split_whitespace().map(str::to_owned)),
                (_, quoted) => words.push(quoted.to_owned()),
            }
        }
        words
    }

    #[test]
    fn the_long_help_of_a_command_says_more_than_its_line_in_the_list() {
        for (name, part) in [
            ("import", "Run it again as often as you like"),
            ("export", "the same command continues it"),
            ("doctor", "Exit codes: 0 no problems"),
            ("passkeys remove", "Nobody can log in with it any more"),
            ("verify", "and the owner sets a new password by mail"),
            ("set-email", "can take the account back for 72 hours"),
            ("prepare-restored", "Running it again does no harm"),
        ] {
            let mut all = Cli::command();
            let found = name.split(' ').fold(&mut all, |command, name| command.find_subcommand_mut(name).unwrap());
            let help = found.render_long_help().to_string();
            assert!(help.split_whitespace().collect::<Vec<_>>().join(" ").contains(part), "{name}: {help}");
        }
    }

    #[test]
    fn every_example_of_the_help_is_a_command_that_the_program_takes() {
        let mut commands = 0;
        for line in [
            ALL,
            IMPORT,
            EXPORT,
            DOCTOR,
            SESSIONS,
            PASSKEYS,
            FORCE_RESET,
            SET_EMAIL,
            AUDIT,
            VERIFY_LOG,
            LOG,
            ENTRIES,
            PREPARE_RESTORED,
            RESTORE,
            LEGACY,
        ]
        .into_iter()
        .flat_map(str::lines)
        {
            let Some(start) = line.find("accounts --") else { continue };
            let parsed = Cli::try_parse_from(words(&line[start..]));
            assert!(parsed.is_ok(), "{line}: {}", parsed.err().map(|error| error.to_string()).unwrap_or_default());
            commands += 1;
        }
        assert!(commands > 15, "{commands}");
    }
}
