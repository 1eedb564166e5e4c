//! The specification: an account, and what each kind of request does to it in a single step.
//!
//! It is written from the promises of the service, not from its code. Where a decision allows a weaker behaviour of two
//! requests at the same time, [`outcomes`] names it.

use std::collections::BTreeSet;

use journeys::PASSWORD;
use journeys::sentences::{
    CONFIGURED, DATA_SAVED, DELETED, EMAIL_TAKEN, INVALID_PARAMETERS, INVALID_TOKEN, LINK_SENT, LOGGED_IN, LOGGED_OUT,
    NO_SESSION, NO_SESSION_EMAIL, REGISTERED, RESET, Sentence, UNKNOWN_EMAIL, VERIFICATION_SENT, VERIFIED,
    VERIFIED_ALREADY, WRONG_CREDENTIALS,
};

use crate::accounts::Start;
use crate::kinds::{Kind, Who};

/// The name of the account that exists at the start.
pub(crate) const FIRST_NAME: &str = "Ana García";

/// What made a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    Start,
    By(Who),
}

/// A live session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Session {
    /// The one that both requests present.
    First,
    Second,
    OpenedBy(Who),
}

/// An account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) made_by: Origin,
    pub(crate) name: String,
    pub(crate) news: bool,
    pub(crate) password: Option<String>,
    pub(crate) verified: bool,
    pub(crate) google: bool,
    pub(crate) generation: u64,
    pub(crate) reset: Option<Origin>,
    pub(crate) verification: Option<Origin>,
    pub(crate) browsers: BTreeSet<Origin>,
    pub(crate) sessions: BTreeSet<Session>,
}

/// Everything that is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct World {
    pub(crate) account: Option<Account>,
    /// The request that sent an entry, and whether the entry belongs to the account.
    pub(crate) entries: BTreeSet<(Who, bool)>,
}

/// What an answer says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) status: u16,
    pub(crate) text: String,
    /// The name of the user in the answer.
    pub(crate) name: String,
}

impl Said {
    fn of((status, text): Sentence) -> Self {
        Self { status, text: text.to_owned(), name: String::new() }
    }

    fn with_name(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }
}

impl Account {
    fn new(made_by: Who, kind: Kind) -> Self {
        Self {
            made_by: Origin::By(made_by),
            name: kind.owner(made_by),
            news: false,
            password: None,
            verified: false,
            google: false,
            generation: 1,
            reset: None,
            verification: None,
            browsers: BTreeSet::new(),
            sessions: BTreeSet::new(),
        }
    }

    /// Ends all sessions.
    fn end_sessions(&mut self) {
        self.generation += 1;
        self.sessions.clear();
    }

    /// Opens a session in a browser that is known from now on.
    fn sign_in(&mut self, who: Who, browser: Origin) {
        self.browsers.insert(browser);
        self.sessions.insert(Session::OpenedBy(who));
    }
}

impl World {
    /// What both requests find.
    pub(crate) fn at(start: Start) -> Self {
        let account = Account {
            made_by: Origin::Start,
            name: FIRST_NAME.to_owned(),
            news: false,
            password: Some(PASSWORD.to_owned()),
            verified: start != Start::Registered,
            google: start == Start::Linked,
            generation: 1,
            reset: Some(Origin::Start),
            verification: Some(Origin::Start),
            browsers: [Origin::Start].into(),
            sessions: [Session::First, Session::Second].into(),
        };
        Self { account: (start != Start::Absent).then_some(account), entries: BTreeSet::new() }
    }

    /// The account of a live session.
    fn live(&mut self, session: Session) -> Option<&mut Account> {
        self.account.as_mut().filter(|account| account.sessions.contains(&session))
    }
}

/// The outcomes that a request may have as a single step. `overlaps` tells that both run at the same time.
pub(crate) fn outcomes(world: &World, kind: Kind, who: Who, overlaps: bool) -> Vec<(Said, World)> {
    let mut next = world.clone();
    let said = step(&mut next, kind, who);
    let weaker = weaker(world, kind).into_iter().filter(|_| overlaps);
    let weaker = weaker.map(|sentence| (Said::of(sentence), world.clone()));
    [(said, next)].into_iter().chain(weaker).collect()
}

/// The answers that a request may also give, without a change, if the other one came between its check and its write.
fn weaker(world: &World, kind: Kind) -> Vec<Sentence> {
    let is_live = |session| world.account.as_ref().is_some_and(|account| account.sessions.contains(&session));
    match kind {
        // What was asked for is true: the other request has deleted the account.
        Kind::Delete if world.account.is_none() => vec![DELETED],
        // What was asked for is true: the session ended after the list was read. If the list was read after that, it
        // had no such session.
        Kind::CloseOne if !is_live(Session::First) => vec![LOGGED_OUT, INVALID_PARAMETERS],
        // No mail is needed: the address was proved, or the account deleted.
        Kind::SendVerification if world.account.as_ref().is_none_or(|account| account.verified) => {
            vec![VERIFICATION_SENT]
        }
        _ => Vec::new(),
    }
}

/// Carries a request out. Gives its answer.
fn step(world: &mut World, kind: Kind, who: Who) -> Said {
    match kind {
        Kind::Register => {
            if world.account.is_some() {
                return Said::of(EMAIL_TAKEN);
            }
            let password = Some(kind.password(who));
            world.account = Some(Account { password, ..Account::new(who, kind) });
            Said::of(REGISTERED)
        }
        Kind::Login | Kind::KnownLogin => {
            let password = Some(kind.password(who));
            let Some(account) = world.account.as_mut().filter(|account| account.password == password) else {
                return Said::of(WRONG_CREDENTIALS);
            };
            account.sign_in(who, if kind == Kind::KnownLogin { Origin::Start } else { Origin::By(who) });
            Said::of(LOGGED_IN).with_name(&account.name)
        }
        Kind::Logout => {
            if let Some(account) = &mut world.account {
                account.sessions.remove(&Session::First);
            }
            Said::of(LOGGED_OUT)
        }
        Kind::ResetLink => match &mut world.account {
            None => Said::of(UNKNOWN_EMAIL),
            Some(account) => {
                account.reset = Some(Origin::By(who));
                Said::of(LINK_SENT)
            }
        },
        Kind::Reset => {
            let is_live = |account: &&mut Account| account.reset == Some(Origin::Start);
            let Some(account) = world.account.as_mut().filter(is_live) else { return Said::of(INVALID_TOKEN) };
            account.password = Some(kind.password(who));
            account.reset = None;
            account.verified = true;
            account.browsers.clear();
            account.end_sessions();
            Said::of(RESET)
        }
        Kind::Verify => {
            let is_live = |account: &&mut Account| account.verification == Some(Origin::Start);
            let Some(account) = world.account.as_mut().filter(is_live) else { return Said::of(INVALID_TOKEN) };
            account.verification = None;
            account.verified = true;
            Said::of(VERIFIED)
        }
        Kind::Google => google(world, kind, who),
        Kind::ReceiveData => {
            let is_owned = world.live(Session::First).is_some();
            world.entries.insert((who, is_owned));
            Said::of(DATA_SAVED)
        }
        _ => signed(world, kind, who),
    }
}

/// The requests that need a session.
fn signed(world: &mut World, kind: Kind, who: Who) -> Said {
    let session = if kind == Kind::CloseOne { Session::Second } else { Session::First };
    let Some(account) = world.live(session) else {
        return Said::of(if kind == Kind::Delete { NO_SESSION_EMAIL } else { NO_SESSION });
    };
    match kind {
        Kind::Delete => {
            world.account = None;
            Said::of(DELETED)
        }
        Kind::CloseOne if account.sessions.remove(&Session::First) => Said::of(LOGGED_OUT),
        Kind::CloseOne => Said::of(INVALID_PARAMETERS),
        Kind::CloseOthers => {
            account.browsers.clear();
            account.end_sessions();
            account.sessions.insert(Session::OpenedBy(who));
            Said::of(LOGGED_OUT)
        }
        Kind::SendVerification if account.verified => Said::of(VERIFIED_ALREADY),
        Kind::SendVerification => {
            account.verification = Some(Origin::By(who));
            Said::of(VERIFICATION_SENT)
        }
        _ => {
            account.name = kind.owner(who);
            account.news = kind == Kind::Settings;
            if kind == Kind::NewPassword {
                account.password = Some(kind.password(who));
                account.reset = None;
                account.end_sessions();
                account.sessions.insert(Session::OpenedBy(who));
            }
            Said::of(CONFIGURED)
        }
    }
}

fn google(world: &mut World, kind: Kind, who: Who) -> Said {
    let text = if world.account.is_some() { "exists" } else { "inserted" };
    let account =
        world.account.get_or_insert_with(|| Account { verified: true, google: true, ..Account::new(who, kind) });
    if !account.google {
        account.google = true;
        if !account.verified {
            account.verified = true;
            account.name = kind.owner(who);
            account.news = false;
            account.password = None;
            account.reset = None;
            account.browsers.clear();
            account.end_sessions();
        }
    }
    account.sign_in(who, Origin::By(who));
    Said { status: 200, text: text.to_owned(), name: account.name.clone() }
}
