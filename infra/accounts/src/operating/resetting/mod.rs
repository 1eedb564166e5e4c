//! `accounts force-reset`: removes the password of one account, or of many after a leak, and mails their owners.
//!
//! The accounts are reset in chunks: the journal notes the intent, the passwords are removed, and the mails are sent. So a
//! second run with the same journal removes no password that an owner has set since, and sends no mail again.

mod journal;
mod post;

use std::fs;
use std::path::Path;

use futures_util::StreamExt;
use futures_util::stream::iter;
use serde::Serialize;
use shared::store::NewReset;
use shared::store::operator::Profile;
use shared::{Account, Email, Fault};

use super::changing;
use crate::cli::{ForcingReset, Target};
use crate::connection::Deployment;
use crate::failure::{Done, Failure};
use crate::interruption::{GO_ON, Interruption};
use crate::rate::{AT_ONCE, Rate};
use crate::scan::{self, Scan};
use crate::trail::{CHUNK, Event, Subject, Trail};
use crate::{lookup, output, progress};
use journal::{Journal, Step};
use post::Post;

/// What a reset of many accounts did, or would do.
#[derive(Default, Serialize)]
struct Summary {
    dry_run: bool,
    /// Accounts whose password was removed and whose sessions have ended, or would be.
    reset: u64,
    /// Links that were mailed, or would be.
    mailed: u64,
    /// Mails that could not be sent. The same command sends them.
    mails_failed: u64,
    /// Accounts that earlier runs have done, or whose owner has set a new password since.
    done_before: u64,
    /// Accounts that were deleted, or whose sessions have ended, as with a new password, after they were read.
    changed_meanwhile: u64,
    /// Lines of the file that name no account.
    not_found: u64,
}

/// Removes the password of one account, or of many.
pub(super) async fn force_reset(target: &Target, options: &ForcingReset) -> Result<Done, Failure> {
    if let Some(who) = &options.who {
        return changing::force_reset(target, who, &options.confirmed).await;
    }
    let order = &options.confirmed.order;
    let lines = options.from.as_deref().map(lines).transpose()?;
    let journal = match &options.journal {
        Some(path) => Journal::read(path)?,
        None if order.dry_run => Journal::default(),
        None => return Err(Failure::Usage("give --journal FILE, so that the same command can go on".to_owned())),
    };
    let deployment = Deployment::of(target).await?;
    let post = options.mail.then(|| Post::of(&deployment)).transpose()?;
    let which = lines.as_ref().map_or_else(|| "all accounts".to_owned(), |lines| format!("{} accounts", lines.len()));
    let mails = if options.mail { ", and mails each owner a link to set a new one" } else { "" };
    let question =
        format!("This removes the passwords of {which} and ends their sessions{mails}. Type `all` to go on: ");
    options.confirmed.ask(&question, "all")?;
    let trail = Trail::unless_dry(&deployment, order).await?;
    let journal = match (&options.journal, &trail) {
        (Some(path), Some(_)) => journal.writing(path)?,
        _ => journal,
    };
    let (rate, interruption) = (Rate::new(options.rate), Interruption::watch());
    let summary = Summary { dry_run: order.dry_run, ..Summary::default() };
    let mut run = Run { deployment: &deployment, post, trail, journal, rate, interruption, summary, failed: None };
    match lines {
        Some(lines) => run.listed(&lines).await?,
        None => run.all().await?,
    }
    output::fields(target.json, &run.summary)?;
    match run.failed {
        None => Ok(Done::All),
        Some(fault) => {
            let text = format!("{} mails could not be sent ({}). {GO_ON}", run.summary.mails_failed, fault.cause);
            Err(Failure::Failed(text))
        }
    }
}

/// The accounts that a file names: an address or an id on each line.
fn lines(path: &Path) -> Result<Vec<String>, Failure> {
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::Failed(format!("{} cannot be read: {error}", path.display())))?;
    let mut lines = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line = line.trim();
        if line.parse::<u64>().is_err() && Email::parse(line).is_err() {
            let text = format!("line {} of {} is neither an address nor an id", number + 1, path.display());
            return Err(Failure::Usage(text));
        }
        lines.push(line.to_owned());
    }
    Ok(lines)
}

/// A reset of many accounts.
struct Run<'a> {
    deployment: &'a Deployment,
    /// `None` if no mails are sent.
    post: Option<Post>,
    /// `None` in a dry run.
    trail: Option<Trail>,
    journal: Journal,
    rate: Rate,
    interruption: Interruption,
    summary: Summary,
    /// Why the last mail that failed could not be sent.
    failed: Option<Fault>,
}

/// What is left to do for an account.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    /// Remove its password, and mail its owner.
    All,
    /// Mail its owner.
    Mail,
    Nothing,
}

impl Run<'_> {
    /// Resets all accounts that have a password, or may have one.
    async fn all(&mut self) -> Result<(), Failure> {
        let progress = progress::of_scan("accounts");
        let mut scan = Scan::of(&self.deployment.operator);
        while let Some(rows) = scan.next().await? {
            // `accounts doctor --data` names the rows that cannot be read.
            let mut profiles: Vec<_> = rows.into_iter().filter_map(scan::profile).collect();
            progress.inc(u64::try_from(profiles.len()).unwrap_or_default());
            profiles.retain(|profile| {
                let account = &profile.account;
                account.password.may_exist() || self.journal.step(account.id).is_some()
            });
            self.some(&profiles).await?;
        }
        progress.finish_and_clear();
        Ok(())
    }

    /// Resets the accounts that the lines of a file name.
    async fn listed(&mut self, lines: &[String]) -> Result<(), Failure> {
        let progress = progress::of_rows(u64::try_from(lines.len()).unwrap_or_default());
        for chunk in lines.chunks(CHUNK) {
            let mut profiles: Vec<Profile> = Vec::with_capacity(chunk.len());
            for who in chunk {
                match lookup::account(self.deployment, who).await {
                    Ok(profile) => profiles.push(profile),
                    Err(Failure::NotFound(text)) => {
                        output::note(&text);
                        self.summary.not_found += 1;
                    }
                    Err(failure) => return Err(failure),
                }
            }
            // A file may name an account twice.
            profiles.sort_by_key(|profile| profile.account.id);
            profiles.dedup_by_key(|profile| profile.account.id);
            self.some(&profiles).await?;
            progress.inc(u64::try_from(chunk.len()).unwrap_or_default());
        }
        progress.finish_and_clear();
        Ok(())
    }

    async fn some(&mut self, profiles: &[Profile]) -> Result<(), Failure> {
        let accounts = profiles.iter().map(|profile| &profile.account);
        let (todo, done): (Vec<_>, Vec<_>) =
            accounts.map(|account| (account, self.left(account))).partition(|(_, left)| *left != Left::Nothing);
        self.summary.done_before += u64::try_from(done.len()).unwrap_or_default();
        for chunk in todo.chunks(CHUNK) {
            self.interruption.check(self.summary.reset, "accounts")?;
            self.chunk(chunk).await?;
        }
        Ok(())
    }

    /// What earlier runs have left to do.
    fn left(&self, account: &Account) -> Left {
        let is_mailed = self.post.is_some() && !account.is_disabled();
        match (self.journal.step(account.id), account.password.may_exist()) {
            (None, _) | (Some(Step::Intended), true) => Left::All,
            (Some(Step::Intended | Step::Reset), false) if is_mailed => Left::Mail,
            // The owner has set a new password, or everything is done.
            (Some(_), _) => Left::Nothing,
        }
    }

    async fn chunk(&mut self, chunk: &[(&Account, Left)]) -> Result<(), Failure> {
        let count = |left| u64::try_from(chunk.iter().filter(|(_, other)| *other == left).count()).unwrap_or_default();
        let Some(trail) = &self.trail else {
            self.summary.reset += count(Left::All);
            let mailed = chunk.iter().filter(|(account, _)| self.post.is_some() && !account.is_disabled()).count();
            self.summary.mailed += u64::try_from(mailed).unwrap_or_default();
            return Ok(());
        };
        let ids = |accounts: &[(&Account, Option<NewReset>)]| -> Vec<u64> {
            accounts.iter().map(|(account, _)| account.id).collect()
        };
        let mut resets = Vec::new();
        let mut mails = Vec::new();
        for (account, left) in chunk {
            // A disabled account has no use for a link.
            let post = self.post.as_ref().filter(|_| !account.is_disabled());
            let token = post.map(|post| post.token(account)).transpose()?;
            (if *left == Left::All { &mut resets } else { &mut mails }).push((*account, token));
        }
        self.journal.note(&ids(&resets), Step::Intended)?;
        let (operator, rate, is_mailed) = (&self.deployment.operator, &self.rate, self.post.is_some());
        let removing = resets.iter().map(|(account, token)| {
            let removing = Box::pin(async {
                // With mails, these limit the rate.
                if !is_mailed {
                    rate.take(1.0).await;
                }
                operator.force_reset(account, token.as_ref()).await
            });
            (Subject::Account(account.id), removing)
        });
        let removed = trail.record_all(Event::PasswordRemoved, removing.collect()).await?;
        let (done, changed): (Vec<_>, Vec<_>) = resets.into_iter().zip(removed).partition(|(_, removed)| *removed);
        self.summary.changed_meanwhile += u64::try_from(changed.len()).unwrap_or_default();
        let done: Vec<_> = done.into_iter().map(|(reset, _)| reset).collect();
        self.summary.reset += u64::try_from(done.len()).unwrap_or_default();
        self.journal.note(&ids(&done), Step::Reset)?;

        let stored = iter(mails).map(async |(account, token)| {
            let is_stored = match &token {
                Some(token) => operator.store_token(account, token).await?,
                None => false,
            };
            Ok::<_, Fault>(is_stored.then_some((account, token)))
        });
        let stored: Vec<Result<_, Fault>> = stored.buffered(AT_ONCE).collect().await;
        let stored = stored.into_iter().collect::<Result<Vec<_>, _>>()?;
        let accounts: Vec<_> = done.into_iter().chain(stored.into_iter().flatten()).collect();
        self.mail(&accounts).await
    }

    /// Mails the tokens of some accounts. If every mail fails, SES refuses all, and the command ends.
    async fn mail(&mut self, accounts: &[(&Account, Option<NewReset>)]) -> Result<(), Failure> {
        let Some(post) = &self.post else { return Ok(()) };
        let rate = &self.rate;
        let sending = accounts.iter().filter_map(|(account, token)| Some((*account, token.as_ref()?)));
        let sending = iter(sending.collect::<Vec<_>>()).map(async |(account, token)| {
            rate.take(1.0).await;
            (account.id, post.send(account, token).await)
        });
        let sent: Vec<(u64, Result<(), Fault>)> = sending.buffered(AT_ONCE).collect().await;
        let all = sent.len();
        let mut mailed = Vec::new();
        for (id, sent) in sent {
            match sent {
                Ok(()) => mailed.push(id),
                Err(fault) => {
                    output::note(&format!("the mail to the account {id} could not be sent: {}", fault.cause));
                    self.failed = Some(fault);
                }
            }
        }
        self.journal.note(&mailed, Step::Mailed)?;
        self.summary.mailed += u64::try_from(mailed.len()).unwrap_or_default();
        self.summary.mails_failed += u64::try_from(all - mailed.len()).unwrap_or_default();
        match &self.failed {
            Some(fault) if mailed.is_empty() && all > 1 => Err(Failure::Failed(format!(
                "no mail of {all} could be sent ({}), so the command has stopped after {} accounts. Check `accounts doctor`. \
                 {GO_ON}",
                fault.cause, self.summary.reset
            ))),
            _ => Ok(()),
        }
    }
}
