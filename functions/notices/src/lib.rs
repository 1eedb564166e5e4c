//! Sends emails to the owner of an account: notices of changes, and the verification link of a new account. Deletes the
//! sessions that a change has ended, and the entries of a deleted account. Publishes the change for other services, and
//! stores what the owner can see of it and of each login.
//!
//! The stream of the accounts table delivers each change after the table has confirmed it. So no request waits for one
//! of these mails, or fails because it cannot be sent, and what was not stored is never announced.

mod activity;
mod domain_event;
mod event;

pub use event::Event;

use std::sync::Arc;

use domain_event::events_of;
use event::in_words;

use shared::log::audit::Method;
use shared::mail::{Letter, Letters, Mailer, Notice};
use shared::store::{
    Activities, Deleted, Deliveries, Entries, Erasures, Happened, Locks, MailBudget, MailShare, Sessions, Verifications,
};
use shared::stream::{BusEvent, Change, EventBus, Failure, Listener, Login, Outcome};
use shared::system::clock::{Clock, Timestamp};
use shared::{Account, BrowserName, Fault, NoticesSetting, Setup, Token};

/// SES's error codes for a mail that it will never accept. Other failures are temporary.
const REFUSED_MAIL: [&str; 2] = ["BadRequestException", "MessageRejected"];

/// The longest name in a greeting, in characters. Most people's names are shorter, and a stranger's message may be
/// longer.
const NAME_MAX: usize = 60;
/// How long it is tried to publish the events of a change, in seconds. Then they go to the dead-letter queue, because a
/// batch that fails holds up the batches after it.
const PUBLISH_SECONDS: u64 = 15 * 60;

/// The listener.
pub struct Notices {
    activities: Activities,
    budget: MailBudget,
    /// `None` if events are not published.
    bus: Option<EventBus>,
    clock: Arc<dyn Clock>,
    deliveries: Deliveries,
    entries: Entries,
    erasures: Erasures,
    letters: Letters,
    locks: Locks,
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
            activities: Activities::new(setup),
            budget: MailBudget::new(setup),
            bus: EventBus::new(setup),
            clock: setup.clock(),
            deliveries: Deliveries::new(setup),
            entries: Entries::new(setup),
            erasures: Erasures::new(setup),
            letters: Letters::new(setup),
            locks: Locks::new(setup),
            mailer: Mailer::new(setup),
            sessions: Sessions::new(setup),
            setting: NoticesSetting::new(setup.settings()),
            verifies: setup.settings().choice("VERIFY_EMAIL", [("on", true), ("off", false)]),
            verifications: Verifications::new(setup),
        }
    }

    async fn handle(&self, change: &Change) -> Result<Outcome, Failure> {
        let is_undone = self.remove_what_ended(change).await?;
        // What stops one of them does not stop the others. If a mail fails, the event has the same id when it is repeated.
        let noted = self.note(change).await;
        let (published, told) = (self.publish(change).await, self.tell(change, is_undone).await);
        noted?;
        match (published, told) {
            (Ok(()), told) => told,
            (Err(_), Err(Failure::Transient(fault))) => Err(Failure::Transient(fault)),
            (Err((fault, Some(events))), _) => Err(Failure::Unpublishable(fault, events)),
            (Err((fault, None)), told) => Err(Failure::Unpublished(fault, told.unwrap_or(Outcome::NothingToDo))),
        }
    }

    async fn handle_login(&self, login: &Login) -> Result<(), Failure> {
        match login {
            Login::Succeeded { account_id, happened } => self.activities.add(*account_id, happened).await?,
            Login::Refused { address, at } => {
                if let Some(account_id) = self.activities.account_at(address).await? {
                    let method = Some(Method::Password.as_str().to_owned());
                    let refused = Happened { at: *at, kind: "login-refused", method, browser: None };
                    self.activities.add(account_id, &refused).await?;
                }
            }
        }
        Ok(())
    }

    async fn erase(&self, account_id: u64, deleted_at: Timestamp) -> Result<(), Failure> {
        self.activities.erase_of(account_id, deleted_at).await?;
        Ok(self.entries.erase_of(account_id, deleted_at).await.map(|_| ())?)
    }
}

impl Notices {
    /// Stores what the owner can see of a change.
    async fn note(&self, change: &Change) -> Result<(), Fault> {
        let Some(account) = &change.after else { return Ok(()) };
        for happened in activity::of(change) {
            self.activities.add(account.id, &happened).await?;
        }
        Ok(())
    }

    /// Publishes the events of a change. An error has the events if it has been tried for long enough.
    async fn publish(&self, change: &Change) -> Result<(), (Fault, Option<Vec<BusEvent>>)> {
        let Some(bus) = &self.bus else { return Ok(()) };
        let events = events_of(change);
        if events.is_empty() {
            return Ok(());
        }
        let is_too_late = self.clock.now() > change.at.plus_seconds(PUBLISH_SECONDS);
        bus.put(change, &events).await.map_err(|fault| (fault, is_too_late.then_some(events)))
    }

    /// Sends the letter of a change.
    async fn tell(&self, change: &Change, is_undone: bool) -> Result<Outcome, Failure> {
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

    /// Sends the letter about an event, or what the budget of its address leaves of it.
    async fn notify(&self, event: &Event, account: &Account, change: &Change) -> Result<Outcome, Failure> {
        // The owner of the former address has to learn of a change of address.
        let told = if *event == Event::EmailChanged { change.before.as_ref().unwrap_or(account) } else { account };
        let (email, is_proved) = (&told.email, told.email_verified);
        // A held notice goes out with the next one, and the former address gets no other. The links to new addresses have a
        // budget, so this needs none.
        let share = if *event == Event::EmailChanged && is_proved {
            MailShare::Own
        } else {
            self.budget.take(email, is_proved, event.kind(), &change.event_id).await?
        };
        if share == MailShare::Nothing {
            return Ok(Outcome::NothingToDo);
        }
        let lock = match change.after {
            Some(_) => self.locks.issue(account).await?,
            None => None,
        };
        let letter = self.letter(event, &share, &notice_of(event, told, change, lock));
        self.mailer.send(email, &letter).await.map_err(failure_of_mail)?;
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

    fn letter(&self, event: &Event, share: &MailShare, notice: &Notice) -> Letter {
        if let MailShare::Joined(kinds) = share {
            let changes: Vec<_> = kinds.iter().filter_map(|kind| in_words(kind)).collect();
            return self.letters.joined(notice, &changes);
        }
        match event {
            Event::PasswordChanged(facts) => self.letters.password_changed(notice, *facts),
            Event::GoogleLinked(facts) => self.letters.google_linked(notice, *facts),
            Event::GoogleUnlinked => self.letters.google_unlinked(notice),
            Event::EmailChanged => self.letters.email_changed(notice),
            Event::PasskeyCreated => self.letters.passkey_created(notice),
            Event::PasskeyRemoved => self.letters.passkey_removed(notice),
            Event::AccountExported => self.letters.account_exported(notice),
            Event::AccountDeleted => self.letters.account_deleted(notice),
            Event::NewBrowser(_) => self.letters.new_browser(notice),
        }
    }
}

fn notice_of(event: &Event, account: &Account, change: &Change, lock: Option<Token>) -> Notice {
    let may_greet = account.email_verified && account.is_name_proved && looks_like_a_name(&account.name);
    let browser = match event {
        // `credentials_changed_by` is the browser of an earlier change. A deletion, an export and a change of address do not store
        // their own.
        Event::AccountDeleted | Event::AccountExported | Event::EmailChanged => None,
        Event::NewBrowser(browser) => Some(browser.clone()),
        Event::PasswordChanged(_)
        | Event::GoogleLinked(_)
        | Event::GoogleUnlinked
        | Event::PasskeyCreated
        | Event::PasskeyRemoved => account.credentials_changed_by.clone(),
    };
    let browser = browser.filter(|browser| *browser != BrowserName::default());
    Notice { name: may_greet.then(|| account.name.clone()), at: change.at, browser, lock }
}

/// Whether a greeting may contain the name. Whoever was in once may have chosen it, so it must not contain a link, a number
/// or a longer message.
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
