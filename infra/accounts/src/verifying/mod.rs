//! `accounts verify-log`: the accounts whose audit lines no order of requests explains.
//!
//! `rules` says what each event begins, ends and needs. `history` judges the lines of each account by it, `calls` compares the
//! events with the lines of the calls that recorded them, and `commands` the intents of operators with their outcomes.

mod calls;
mod commands;
mod finding;
mod history;
mod line;
mod rules;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use finding::Finding;
use history::SLACK;
use line::Line;
use shared::system::clock::{Clock, SystemClock};

use crate::cli::{Target, Verifying};
use crate::connection::stack_config;
use crate::failure::{Done, Failure};
use crate::output;
use crate::trail::{LogGroup, Logs};

/// Prints the lines that do not fit to the others.
pub(crate) async fn verify(target: &Target, options: &Verifying) -> Result<Done, Failure> {
    let texts = match &options.file {
        Some(_) if target.stack.is_some() || target.local => {
            return Err(Failure::Usage("name either a stack or a --file".to_owned()));
        }
        Some(file) => of_file(file)?,
        None => of_stack(target, options).await?,
    };
    let parsed = texts.iter().filter_map(|(text, is_operators)| Line::parse(text, *is_operators));
    let mut lines: Vec<Line> = parsed.collect();
    lines.sort_by_key(|line| line.at);
    let longest = u64::try_from(options.longest_session.as_millis()).unwrap_or(u64::MAX);
    let found = judge(&lines, longest);
    let events = lines.iter().filter(|line| line.event.is_some()).count();
    output::note(&format!("{events} audit lines and {} lines of calls were compared", lines.len() - events));
    output::rows_without_empty_columns(target.json, &found)?;
    Ok(if found.is_empty() { Done::All } else { Done::WithProblems })
}

/// The lines of a file, or of standard input. It does not say of which streams they are.
fn of_file(file: &Path) -> Result<Vec<(String, bool)>, Failure> {
    let text =
        if file == Path::new("-") { std::io::read_to_string(std::io::stdin()) } else { fs::read_to_string(file) };
    let text = text.map_err(|error| Failure::Failed(format!("{} cannot be read: {error}", file.display())))?;
    Ok(text.lines().map(|line| (line.to_owned(), false)).collect())
}

/// The lines of a stack's log group.
async fn of_stack(target: &Target, options: &Verifying) -> Result<Vec<(String, bool)>, Failure> {
    let stack = target
        .in_aws("the local stack has no log group: save the standard output of make dev, and name it with --file")?;
    let config = stack_config(target).await?;
    let since = options.since.before(SystemClock.now());
    LogGroup::of(&config, stack, Logs::Functions).await?.calls_and_events(since).await
}

/// All findings about lines that are sorted by time, by account and time.
fn judge(lines: &[Line], longest_session: u64) -> Vec<Finding> {
    let (first, last) = (lines.first().map_or(0, |line| line.at), lines.last().map_or(0, |line| line.at));
    let mut histories: BTreeMap<u64, Vec<&Line>> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.event.is_some()) {
        if let Some(id) = line.account_id {
            histories.entry(id).or_default().push(line);
        }
    }
    let complete_from = first.saturating_add(longest_session).saturating_add(SLACK);
    let imports: Vec<&Line> = lines.iter().filter(|line| line.event.as_deref() == Some(rules::IMPORT)).collect();
    let of_account = |lines: &Vec<&Line>| history::judge(lines, &imports, complete_from);
    let mut found: Vec<Finding> = histories.values().flat_map(of_account).collect();
    found.extend(history::of_two_accounts(lines));
    let inside = first.saturating_add(SLACK)..last.saturating_sub(SLACK);
    found.extend(calls::judge(lines, &inside).into_iter().chain(commands::judge(lines, &inside)));
    found.sort();
    found
}
