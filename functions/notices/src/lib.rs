//! Sends emails to the owner of an account: notices of changes, and the verification link of a new account. Deletes the
//! sessions that a change has ended, and the entries of a deleted account.
//!
//! The stream of the accounts table delivers each change after the table has confirmed it. So no request waits for one
//! of these mails, or fails because it cannot be sent.

mod event;

pub use event::Event;

use shared::mail::{Letter, Letters, Mailer, Notice};
use shared::store::{Deleted, Deliveries, Entries, Erasures, Sessions, Verifications};
use shared::stream::{Change, Failure, Listener, Outcome};
use shared::system::clock::Timestamp;
use shared::{Account, BrowserName, Fault, NoticesSetting, Setup};

/// SES's error codes for a mail that it will never accept. Other failures are temporary.
const REFUSED_MAIL: [&str; 2] = ["BadRequestException", "MessageRejected"];

/// The longest name in a greeting, in characters. Most people's names are shorter, and a stranger's message may be
/// longer.
const NAME_MAX: usize = 60;

/// The listener.
pub struct Notices {
    deliveries: Deliveries,
    entries: Entries,
    erasures: Erasures,
    letters: Letters,
    mailer: Mailer,
    sessions: Sessions,
    setting: NoticesSetting,
    /// Whether a new account gets a mail with a verification link.
    verifies: bool,
    verifications: Verifications,
}

impl Listener for Notices {
    const NAME: &'static str = "notices";

    fn new(setup: &Setup) -> Self {
        Self {
            deliveries: Deliveries::new(setup),
            entries: Entries::new(setup),
            erasures: Erasures::new(setup),
            letters: Letters::new(setup),
            mailer: Mailer::new(setup),
            sessions: Sessions::new(setup),
            setting: NoticesSetting::new(setup.settings()),
            verifies: setup.settings().choice("VERIFY_EMAIL", [("on", true), ("off", false)]),
            verifications: Verifications::new(setup),
        }
    }

    async fn handle(&self, change: &Change) -> Result<Outcome, Failure> {
        let is_undone = self.remove_what_ended(change).await?;
        let registered = self.registered(change);
        let event = Event::of(change).filter(|event| !is_undone && event.lowest_setting() <= self.setting);
        if (registered.is_none() && event.is_none()) || self.deliveries.contains(&change.event_id).await? {
            return Ok(Outcome::NothingToDo);
        }
        let outcome = match (registered, event, change.after.as_ref().or(change.before.as_ref())) {
            (Some(account), _, _) => self.verify(account).await?,
            (None, Some(event), Some(account)) => self.notify(&event, account, change).await?,
            _ => Outcome::NothingToDo,
        };
        if outcome == Outcome::Notified {
            self.deliveries.add(&change.event_id).await?;
        }
        Ok(outcome)
    }

    async fn erase(&self, account_id: u64, deleted_at: Timestamp) -> Result<(), Failure> {
        Ok(self.entries.erase_of(account_id, deleted_at).await.map(|_| ())?)
    }
}

impl Notices {
    /// The new account, if its address has to be verified.
    fn registered<'a>(&self, change: &'a Change) -> Option<&'a Account> {
        let account = change.after.as_ref().filter(|_| self.verifies && change.before.is_none())?;
        (!account.email_verified && !change.is_import).then_some(account)
    }

    /// Sends the verification link of a new account.
    async fn verify(&self, account: &Account) -> Result<Outcome, Failure> {
        // There is no token if the account was deleted, disabled or verified in the meantime.
        let Some(token) = self.verifications.issue_at_once(account).await? else { return Ok(Outcome::NothingToDo) };
        let letter = self.letters.verification(&token, self.verifications.lifetime_hours());
        if let Err(fault) = self.mailer.send(&account.email, &letter).await {
            self.verifications.withdraw(account, &token).await?;
            return Err(failure_of_mail(fault));
        }
        Ok(Outcome::Notified)
    }

    /// Sends the letter about an event.
    async fn notify(&self, event: &Event, account: &Account, change: &Change) -> Result<Outcome, Failure> {
        self.mailer.send(&account.email, &self.letter(event, account, change)).await.map_err(failure_of_mail)?;
        Ok(Outcome::Notified)
    }

    /// Deletes the sessions that a change has ended, and requests the erasure of a deleted account's entries. Returns
    /// whether the change is the undo of an import.
    async fn remove_what_ended(&self, change: &Change) -> Result<bool, Fault> {
        match (&change.before, &change.after) {
            (Some(before), None) => {
                self.sessions.remove_ended(before, None, change.at).await?;
                let deleted = Deleted { id: before.id, at: change.at, run: change.run.as_deref() };
                self.erasures.request(&deleted).await
            }
            (Some(before), Some(after)) if after.generation > before.generation => {
                self.sessions.remove_ended(after, Some(after.generation), change.at).await?;
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    fn letter(&self, event: &Event, account: &Account, change: &Change) -> Letter {
        let name = Some(account.name.clone()).filter(|name| account.email_verified && looks_like_a_name(name));
        let browser = match event {
            // `credentials_changed_by` is the browser of an earlier change. A deletion does not store its own.
            Event::AccountDeleted => None,
            Event::NewBrowser(browser) => Some(browser.clone()),
            Event::PasswordChanged | Event::GoogleLinked { .. } | Event::PasskeyCreated | Event::PasskeyRemoved => {
                account.credentials_changed_by.clone()
            }
        };
        let browser = browser.filter(|browser| *browser != BrowserName::default());
        let notice = Notice { name, at: change.at, browser };
        match event {
            Event::PasswordChanged => self.letters.password_changed(&notice, account.passkeys.len()),
            Event::GoogleLinked { is_password_removed, are_passkeys_removed } => {
                self.letters.google_linked(&notice, *is_password_removed, *are_passkeys_removed)
            }
            Event::PasskeyCreated => self.letters.passkey_created(&notice),
            Event::PasskeyRemoved => self.letters.passkey_removed(&notice),
            Event::AccountDeleted => self.letters.account_deleted(&notice),
            Event::NewBrowser(_) => self.letters.new_browser(&notice),
        }
    }
}

/// Whether a greeting may contain the name. A stranger who registers another person's address chooses the name, and it
/// stays after the owner's reset. So it must not contain a link, a number or a longer message.
fn looks_like_a_name(name: &str) -> bool {
    let is_of_a_name = |letter: char| letter.is_alphabetic() || [' ', '-', '\'', '’', '·'].contains(&letter);
    name.chars().count() <= NAME_MAX && name.chars().all(is_of_a_name)
}

fn failure_of_mail(fault: Fault) -> Failure {
    if REFUSED_MAIL.contains(&fault.cause.as_str()) { Failure::Permanent(fault) } else { Failure::Transient(fault) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_looks_like_a_name_is_greeted() {
        for name in ["Ana García", "María del Carmen O'Neill-Pérez", "Jo", "Ángel·la"] {
            assert!(looks_like_a_name(name), "{name}");
        }
        for name in ["Premio: https://evil.example", "evil.example", "Llama al 900", "<b>Ana</b>", &"a".repeat(61)] {
            assert!(!looks_like_a_name(name), "{name}");
        }
    }
}
