//! The state in the specification: an account, and what is stored besides it.

use std::collections::{BTreeMap, BTreeSet};

use journeys::PASSWORD;
use journeys::sentences::Sentence;

use crate::case::{Case, Start, Who};
use crate::kinds::Kind;
use crate::passkeys::FIRST_COUNTER;

/// The name of the account that exists at the start.
pub(crate) const START_NAME: &str = "Ana García";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    Start,
    By(Who),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Session {
    /// The session that every request with a session presents, except `close-one`.
    First,
    Second,
    OpenedBy(Who),
}

/// How a single session of the start ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// A request has ended it.
    Closed,
    /// It has expired.
    Expired,
}

#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an attribute of an account")]
pub(crate) struct Account {
    pub(crate) made_by: Origin,
    pub(crate) name: String,
    pub(crate) news: bool,
    pub(crate) password: Option<String>,
    /// Whether the hash of its password has another cost than new ones.
    pub(crate) is_outdated: bool,
    pub(crate) verified: bool,
    pub(crate) google: bool,
    pub(crate) generation: u64,
    pub(crate) reset: Option<Origin>,
    pub(crate) verification: Option<Origin>,
    /// The link for a change of address.
    pub(crate) change: Option<Origin>,
    /// Whether the old address was verified, if the account has the new one.
    pub(crate) moved: Option<bool>,
    /// Whether it is disabled.
    pub(crate) disabled: bool,
    /// The live links of notices.
    pub(crate) locks: BTreeSet<Origin>,
    pub(crate) browsers: BTreeSet<Origin>,
    pub(crate) passkeys: BTreeSet<Origin>,
    pub(crate) sessions: BTreeSet<Session>,
    /// The sessions whose owner has proved who they are since the login, live or not.
    pub(crate) proved: BTreeSet<Session>,
    /// Whether it was locked.
    pub(crate) locked: bool,
    /// Whether it was exported.
    pub(crate) exported: bool,
    /// The sessions of the start that were ended one by one.
    pub(crate) ended: BTreeMap<Session, Ending>,
    /// The content that an import wrote, if one did.
    pub(crate) imported: Option<Content>,
}

/// The content that an import compares: name, newsletter, password and the cost of its hash, whether the address is
/// verified, identity, and generation.
type Content = (String, bool, Option<String>, bool, bool, bool, u64);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about the run")]
pub(crate) struct World {
    pub(crate) account: Option<Account>,
    /// The account of the identity's new address.
    pub(crate) other: Option<Account>,
    /// The account that was created with the address of the start after the account of the start had left it.
    pub(crate) newcomer: Option<Account>,
    /// The request that sent an entry, and whether the entry belongs to the account.
    pub(crate) entries: BTreeSet<(Who, bool)>,
    /// The failed logins that count. They belong to the address, not to the account.
    pub(crate) failures: usize,
    /// Whether the letter of the change was sent.
    pub(crate) is_letter_sent: bool,
    /// Whether the case moves the clock past the lifetime of the sessions, tokens and challenges of the start.
    pub(crate) may_expire: bool,
    /// Whether the clock has moved past this lifetime.
    pub(crate) has_expired: bool,
    /// Whether the logins of the start are too old as proofs.
    pub(crate) is_login_old: bool,
    /// Whether the clock is past the idle timeout, so that sessions that were used since the start have expired too.
    pub(crate) is_past_idle_timeout: bool,
    /// The sessions of the start that were used, which extended their lifetimes.
    pub(crate) used: BTreeSet<Session>,
    /// The sessions of the start that ended with their account.
    pub(crate) deleted: BTreeSet<Session>,
    /// The challenges that have not been answered, by the kind of the answer.
    pub(crate) challenges: BTreeSet<Kind>,
    /// The counter of the passkey of the start, if it counts signatures.
    pub(crate) counter: Option<u32>,
    /// Whether the proof of work was used.
    pub(crate) is_spent: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelAnswer {
    pub(crate) status: u16,
    pub(crate) text: String,
    /// The name of the user in the answer.
    pub(crate) name: String,
}

impl ModelAnswer {
    pub(crate) fn of((status, text): Sentence) -> Self {
        Self { status, text: text.to_owned(), name: String::new() }
    }

    pub(crate) fn with_name(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }
}

impl Account {
    pub(crate) fn new(made_by: Who, kind: Kind) -> Self {
        Self {
            made_by: Origin::By(made_by),
            name: kind.person_name(made_by),
            news: false,
            password: None,
            is_outdated: false,
            verified: false,
            google: false,
            generation: 1,
            reset: None,
            verification: None,
            change: None,
            moved: None,
            disabled: false,
            locks: BTreeSet::new(),
            browsers: BTreeSet::new(),
            passkeys: BTreeSet::new(),
            sessions: BTreeSet::new(),
            proved: BTreeSet::new(),
            locked: false,
            exported: false,
            ended: BTreeMap::new(),
            imported: None,
        }
    }

    pub(crate) fn content(&self) -> Content {
        let Self { news, is_outdated, verified, google, generation, .. } = *self;
        (self.name.clone(), news, self.password.clone(), is_outdated, verified, google, generation)
    }

    /// Sets a password, which ends the reset token.
    pub(crate) fn set_password(&mut self, password: String) {
        self.password = Some(password);
        self.is_outdated = false;
        self.reset = None;
    }

    pub(crate) fn end_sessions(&mut self) {
        self.generation += 1;
        self.sessions.clear();
        self.ended.clear();
        self.change = None;
    }

    /// Ends all sessions, and opens one in place of `session`. It has the same last proof.
    pub(crate) fn replace(&mut self, session: Session, who: Who) {
        if self.proved.contains(&session) {
            self.proved.insert(Session::OpenedBy(who));
        }
        self.end_sessions();
        self.sessions.insert(Session::OpenedBy(who));
    }

    /// Ends one session of the start. Returns whether it was alive.
    pub(crate) fn end(&mut self, session: Session, ending: Ending) -> bool {
        let was_alive = self.sessions.remove(&session);
        if was_alive || self.ended.contains_key(&session) {
            self.ended.insert(session, ending);
        }
        was_alive
    }

    /// Opens a session, and adds its browser to the known ones.
    pub(crate) fn sign_in(&mut self, who: Who, browser: Origin) {
        self.browsers.insert(browser);
        self.sessions.insert(Session::OpenedBy(who));
    }
}

impl World {
    /// What the requests find.
    pub(crate) fn at(case: &Case) -> Self {
        let start = case.start;
        let sessions = [Session::First, Session::Second].into_iter().filter(|_| start != Start::Recreated);
        let mut account = Account {
            made_by: Origin::Start,
            name: START_NAME.to_owned(),
            news: false,
            password: Some(PASSWORD.to_owned()),
            is_outdated: case.has(Kind::UpgradeLogin),
            verified: start.is_verified(),
            google: start.is_linked(),
            generation: 1,
            reset: Some(Origin::Start),
            verification: Some(Origin::Start),
            change: Some(Origin::Start),
            moved: None,
            disabled: false,
            locks: [Origin::Start].into(),
            browsers: [Origin::Start].into(),
            passkeys: BTreeSet::from_iter(case.some(Kind::starts_with_passkey).then_some(Origin::Start)),
            sessions: sessions.collect(),
            proved: BTreeSet::new(),
            locked: false,
            exported: false,
            ended: BTreeMap::new(),
            imported: None,
        };
        account.imported = case.has(Kind::Import).then(|| account.content());
        let other = (start == Start::Moved).then(|| Account {
            verified: false,
            google: false,
            reset: None,
            verification: None,
            change: None,
            locks: BTreeSet::new(),
            passkeys: BTreeSet::new(),
            sessions: BTreeSet::new(),
            ..account.clone()
        });
        Self {
            account: (start != Start::Absent).then_some(account),
            other,
            newcomer: None,
            entries: BTreeSet::new(),
            failures: usize::from(case.some(Kind::is_limited) && start != Start::ExpiredFailures),
            is_letter_sent: false,
            may_expire: case.some(Kind::is_clock),
            has_expired: false,
            is_login_old: false,
            is_past_idle_timeout: false,
            used: BTreeSet::new(),
            deleted: BTreeSet::new(),
            counter: case.has(Kind::PasskeyAgain).then_some(FIRST_COUNTER),
            is_spent: false,
            challenges: [Kind::PasskeyRegister, Kind::PasskeyLogin, Kind::PasskeyAgain]
                .into_iter()
                .filter(|kind| case.has(*kind))
                .collect(),
        }
    }

    /// The place of the account that has the address of the start.
    pub(crate) fn at_address(&mut self) -> &mut Option<Account> {
        let is_free = self.account.is_none() && self.newcomer.is_none();
        let has_left = self.account.as_ref().is_none_or(|account| account.moved.is_some());
        if has_left && !is_free { &mut self.newcomer } else { &mut self.account }
    }

    /// The account of a live session, whose use is recorded if `is_used`.
    pub(crate) fn live(&mut self, session: Session, is_used: bool) -> Option<&mut Account> {
        let account = self.account.as_mut().filter(|account| account.sessions.contains(&session))?;
        if is_used {
            self.used.insert(session);
        }
        Some(account)
    }

    /// The account, if this mailed token is the newest one and has not expired.
    pub(crate) fn holder(&mut self, token: fn(&Account) -> Option<Origin>) -> Option<&mut Account> {
        let has_expired = self.has_expired;
        self.account.as_mut().filter(|account| !has_expired && token(account) == Some(Origin::Start))
    }
}
