//! The specification: what each kind of request does to an account in a single step.
//!
//! It is written from the promises of the service, not from its code. Where a decision allows weaker behaviour for
//! concurrent requests, [`outcomes`](super::outcomes) includes it.

use std::collections::BTreeSet;

use journeys::PASSWORD;
use journeys::sentences::{
    CHANGE_SENT, CONFIGURED, CONFIRMED, DATA_SAVED, DELETED, EMAIL_CHANGED, EMAIL_TAKEN, GOOGLE_UNLINKED,
    INVALID_PARAMETERS, INVALID_PASSKEY, INVALID_TOKEN, LINK_SENT, LOCKED, LOCKED_WITHOUT_LINK, LOGGED_IN, LOGGED_OUT,
    NO_SESSION, NO_SESSION_EMAIL, NOT_CONFIRMED, ONLY_WAY_IN, PASSKEY_CREATED, PASSKEY_REFUSED, PASSKEY_REMOVED,
    REGISTERED, RESET, Sentence, TOO_MANY_PASSKEYS, UNKNOWN_EMAIL, UNPROVED, VERIFICATION_SENT, VERIFIED,
    VERIFIED_ALREADY, WRONG_CREDENTIALS,
};

use crate::case::Who;
use crate::judging::world::{Account, Ending, ModelAnswer, Origin, Session, World};
use crate::kinds::Kind;
use crate::passkeys::FIRST_COUNTER;

/// The limit of failed logins.
const LIMIT: usize = 2;

pub(super) const HANDLED: Sentence = (200, "");

/// Carries out a request and returns its answer.
#[expect(clippy::too_many_lines, reason = "one arm for each kind of request")]
pub(super) fn step(world: &mut World, kind: Kind, who: Who) -> ModelAnswer {
    match kind {
        Kind::Register => {
            let place = world.at_address();
            if place.is_some() {
                return ModelAnswer::of(EMAIL_TAKEN);
            }
            let password = Some(kind.password(who));
            *place = Some(Account { password, ..Account::new(who, kind) });
            ModelAnswer::of(REGISTERED)
        }
        Kind::Login | Kind::KnownLogin | Kind::UpgradeLogin => {
            let password = Some(kind.password(who));
            let Some(account) = world.at_address().as_mut().filter(|account| account.password == password) else {
                return ModelAnswer::of(WRONG_CREDENTIALS);
            };
            account.is_outdated = false;
            account.sign_in(who, if kind == Kind::KnownLogin { Origin::Start } else { Origin::By(who) });
            ModelAnswer::of(LOGGED_IN).with_name(&account.name)
        }
        Kind::LimitedLogin | Kind::LimitedWrong => limited(world, kind, who),
        Kind::NoticeDeletion => ModelAnswer::of(HANDLED),
        Kind::NoticePassword => {
            if !std::mem::replace(&mut world.is_letter_sent, true) {
                add_link(world, who);
            }
            ModelAnswer::of(HANDLED)
        }
        // A delivery of a record whose letter was sent does nothing.
        Kind::NoticeRegistration => {
            let is_first_time = !std::mem::replace(&mut world.is_letter_sent, true);
            if let Some(account) =
                world.account.as_mut().filter(|account| is_first_time && is_first(account) && !account.verified)
            {
                account.verification = Some(Origin::By(who));
            }
            ModelAnswer::of(HANDLED)
        }
        Kind::Import => ModelAnswer::of((200, import(world, kind, who))),
        Kind::Time | Kind::LongTime => {
            world.is_past_idle_timeout = kind == Kind::LongTime;
            let used = if world.is_past_idle_timeout { &BTreeSet::new() } else { &world.used };
            if let Some(account) = &mut world.account {
                for session in [Session::First, Session::Second].into_iter().filter(|session| !used.contains(session)) {
                    if account.sessions.contains(&session) {
                        account.end(session, Ending::Expired);
                    }
                }
                if world.is_past_idle_timeout {
                    account.sessions.clear();
                }
            }
            (world.has_expired, world.is_login_old) = (true, true);
            ModelAnswer::of((200, ""))
        }
        Kind::Logout => {
            if let Some(account) = &mut world.account {
                account.end(Session::First, Ending::Closed);
            }
            ModelAnswer::of(LOGGED_OUT)
        }
        Kind::ResetLink => match world.at_address() {
            None => ModelAnswer::of(UNKNOWN_EMAIL),
            Some(account) => {
                account.reset = Some(Origin::By(who));
                ModelAnswer::of(LINK_SENT)
            }
        },
        Kind::Reset => {
            let Some(account) = world.holder(|account| account.reset) else { return ModelAnswer::of(INVALID_TOKEN) };
            account.set_password(kind.password(who));
            if !account.verified {
                account.passkeys.clear();
            }
            account.verified = true;
            account.verification = None;
            account.browsers = [Origin::By(who)].into();
            account.end_sessions();
            ModelAnswer::of(RESET)
        }
        Kind::Lock => {
            let link = |account: &Account| account.locks.get(&Origin::Start).copied();
            let newcomer = world.newcomer.as_ref().map(|newcomer| newcomer.verified);
            let Some(account) = world.holder(link) else { return ModelAnswer::of(INVALID_TOKEN) };
            (account.locked, account.password, account.is_outdated) = (true, None, false);
            (account.reset, account.verification) = (Some(Origin::By(who)), None);
            account.locks.clear();
            account.browsers.clear();
            account.passkeys.clear();
            account.end_sessions();
            // Whoever has changed the address may have linked Google.
            account.google &= account.moved.is_none();
            if account.moved.is_some() && newcomer == Some(true) {
                // Its former addresses are forgotten.
                (account.reset, account.moved, account.disabled) = (None, Some(false), true);
                return ModelAnswer::of(LOCKED_WITHOUT_LINK);
            }
            if let Some(was_verified) = account.moved.take() {
                account.verified = was_verified;
                world.newcomer = None;
            }
            ModelAnswer::of(LOCKED)
        }
        Kind::ConfirmEmail => {
            let Some(account) = world.holder(|account| account.change) else { return ModelAnswer::of(INVALID_TOKEN) };
            account.moved = Some(account.verified);
            account.verified = true;
            (account.reset, account.verification, account.change) = (None, None, None);
            account.generation += 1;
            // The session of the start asked for it.
            account.sessions.retain(|session| *session == Session::First);
            account.ended.retain(|session, _| *session == Session::First);
            ModelAnswer::of(EMAIL_CHANGED)
        }
        Kind::Verify => {
            let Some(account) = world.holder(|account| account.verification) else {
                return ModelAnswer::of(INVALID_TOKEN);
            };
            account.verification = None;
            account.verified = true;
            ModelAnswer::of(VERIFIED)
        }
        Kind::Google | Kind::GoogleRedirect => google(world, kind, who),
        Kind::Lease => ModelAnswer::of((200, "")),
        Kind::Spend => {
            ModelAnswer::of((200, if std::mem::replace(&mut world.is_spent, true) { "refused" } else { "spent" }))
        }
        Kind::PasskeyLogin | Kind::PasskeyAgain => {
            let counter = FIRST_COUNTER + if kind == Kind::PasskeyLogin { 1 } else { 2 };
            let is_newer = world.counter.is_none_or(|last| last < counter);
            let is_open = world.challenges.contains(&kind) && !world.has_expired && is_newer;
            let holder = world.account.as_mut().filter(|account| is_open && account.passkeys.contains(&Origin::Start));
            let Some(account) = holder else { return ModelAnswer::of(INVALID_PASSKEY) };
            account.sign_in(who, Origin::By(who));
            let said = ModelAnswer::of(LOGGED_IN).with_name(&account.name);
            world.challenges.remove(&kind);
            world.counter = world.counter.map(|_| counter);
            said
        }
        Kind::ReceiveData | Kind::KeyedData | Kind::AnonymousData => {
            let is_owned = kind != Kind::AnonymousData && world.live(Session::First, true).is_some();
            world.entries.insert((who, is_owned));
            ModelAnswer::of(DATA_SAVED)
        }
        _ => signed(world, kind, who),
    }
}

/// The requests that need a session.
fn signed(world: &mut World, kind: Kind, who: Who) -> ModelAnswer {
    let session = kind.session().unwrap_or(Session::First);
    let is_answerable = world.challenges.contains(&kind) && !world.has_expired;
    let (is_login_old, is_proof_old) = (world.is_login_old, world.is_past_idle_timeout);
    let Some(account) = world.live(session, kind != Kind::Delete) else {
        return ModelAnswer::of(if kind == Kind::Delete { NO_SESSION_EMAIL } else { NO_SESSION });
    };
    let is_proved = !is_login_old || account.proved.contains(&session) && !is_proof_old;
    if kind.needs_proof() && !is_proved {
        return ModelAnswer::of(UNPROVED);
    }
    match kind {
        Kind::Delete => {
            world.deleted = account.sessions.clone();
            (world.account, world.failures) = (None, 0);
            ModelAnswer::of(DELETED)
        }
        Kind::CloseOne if account.end(Session::First, Ending::Closed) => ModelAnswer::of(LOGGED_OUT),
        Kind::CloseOthers => {
            account.browsers = [Origin::By(who)].into();
            account.replace(session, who);
            ModelAnswer::of(LOGGED_OUT)
        }
        Kind::PasskeyRegister if !is_answerable => ModelAnswer::of(PASSKEY_REFUSED),
        Kind::PasskeyRegister => {
            account.passkeys.insert(Origin::By(who));
            world.challenges.remove(&kind);
            ModelAnswer::of(PASSKEY_CREATED)
        }
        // The first passkey sets the account's user handle. The answer to another challenge has another handle.
        Kind::FirstPasskey if !account.passkeys.is_empty() => ModelAnswer::of(PASSKEY_REFUSED),
        Kind::LastPasskey if account.passkeys.len() > 1 => ModelAnswer::of(TOO_MANY_PASSKEYS),
        Kind::FirstPasskey | Kind::LastPasskey => {
            account.passkeys.insert(Origin::By(who));
            ModelAnswer::of(PASSKEY_CREATED)
        }
        Kind::RemovePasskey if account.passkeys.remove(&Origin::Start) => {
            account.replace(session, who);
            ModelAnswer::of(PASSKEY_REMOVED)
        }
        Kind::UnlinkGoogle if account.google && account.password.is_none() && account.passkeys.is_empty() => {
            ModelAnswer::of(ONLY_WAY_IN)
        }
        Kind::UnlinkGoogle if account.google => {
            account.google = false;
            account.replace(session, who);
            ModelAnswer::of(GOOGLE_UNLINKED)
        }
        Kind::CloseOne | Kind::RemovePasskey | Kind::UnlinkGoogle => ModelAnswer::of(INVALID_PARAMETERS),
        Kind::Export => {
            account.exported = true;
            let passkeys = account.passkeys.len();
            ModelAnswer::of((200, "")).with_name(&exported_as(&account.name, account.verified, passkeys))
        }
        Kind::ChangeEmail if account.moved.is_some() => ModelAnswer::of(EMAIL_TAKEN),
        Kind::ChangeEmail => {
            account.change = Some(Origin::By(who));
            ModelAnswer::of(CHANGE_SENT)
        }
        Kind::Confirm if account.password != Some(kind.password(who)) => ModelAnswer::of(NOT_CONFIRMED),
        Kind::Confirm => {
            account.proved.insert(session);
            ModelAnswer::of(CONFIRMED)
        }
        Kind::ReadSession => ModelAnswer::of((200, "")).with_name(&account.name),
        Kind::Authorize | Kind::ListSessions | Kind::PasskeyOptions => ModelAnswer::of((200, "")),
        Kind::SendVerification if account.verified => ModelAnswer::of(VERIFIED_ALREADY),
        Kind::SendVerification => {
            account.verification = Some(Origin::By(who));
            ModelAnswer::of(VERIFICATION_SENT)
        }
        _ => {
            account.name = kind.person_name(who);
            account.news = kind == Kind::Settings;
            if kind == Kind::NewPassword {
                account.set_password(kind.password(who));
                account.replace(session, who);
            }
            ModelAnswer::of(CONFIGURED)
        }
    }
}

fn google(world: &mut World, kind: Kind, who: Who) -> ModelAnswer {
    let is_linked = world.account.as_ref().is_some_and(|account| account.google);
    // The identity signs in to its linked account, whatever its address is.
    let account = match (is_linked, &world.other) {
        (true, _) => &mut world.account,
        (false, Some(_)) => &mut world.other,
        (false, None) => world.at_address(),
    };
    let text = if account.is_some() { "exists" } else { "inserted" };
    let account = account.get_or_insert_with(|| Account { verified: true, google: true, ..Account::new(who, kind) });
    if !account.google {
        account.google = true;
        if !account.verified {
            account.verified = true;
            account.name = kind.person_name(who);
            account.news = false;
            account.password = None;
            account.is_outdated = false;
            (account.reset, account.verification) = (None, None);
            account.browsers.clear();
            account.passkeys.clear();
            account.end_sessions();
        }
    }
    if kind == Kind::GoogleRedirect {
        // A form from another site comes without cookies, so its browser stays unknown.
        account.sessions.insert(Session::OpenedBy(who));
        return ModelAnswer::of((303, ""));
    }
    account.sign_in(who, Origin::By(who));
    ModelAnswer { status: 200, text: text.to_owned(), name: account.name.clone() }
}

/// What an export shows of an account.
pub(crate) fn exported_as(name: &str, is_verified: bool, passkeys: usize) -> String {
    format!("{name}, {passkeys} passkeys{}", if is_verified { ", verified" } else { "" })
}

fn limited(world: &mut World, kind: Kind, who: Who) -> ModelAnswer {
    if world.failures >= LIMIT {
        return ModelAnswer::of(WRONG_CREDENTIALS);
    }
    let password = Some(kind.password(who));
    let Some(account) = world.at_address().as_mut().filter(|account| account.password == password) else {
        world.failures += 1;
        return ModelAnswer::of(WRONG_CREDENTIALS);
    };
    account.sign_in(who, Origin::By(who));
    let said = ModelAnswer::of(LOGGED_IN).with_name(&account.name);
    world.failures = 0;
    said
}

/// Whether it has the id of the account of the start, which an imported account also has.
pub(super) fn is_first(account: &Account) -> bool {
    account.made_by == Origin::Start
}

/// Adds the link of a notice to the account of the start.
pub(super) fn add_link(world: &mut World, who: Who) {
    let account = world.account.as_mut().filter(|account| is_first(account));
    if let Some(account) = account {
        account.locks.insert(Origin::By(who));
    }
}

/// An import of one row with the id of the account of the start.
fn import(world: &mut World, kind: Kind, who: Who) -> &'static str {
    if world.account.is_none() && world.newcomer.is_some() {
        return "taken";
    }
    let Some(account) = &mut world.account else {
        let mut account = Account { password: Some(PASSWORD.to_owned()), ..Account::new(who, kind) };
        account.made_by = Origin::Start;
        account.imported = Some(account.content());
        account.ended = world.deleted.iter().map(|session| (*session, Ending::Closed)).collect();
        world.account = Some(account);
        return "created";
    };
    if !is_first(account) {
        return "taken";
    }
    if account.imported != Some(account.content()) || !account.passkeys.is_empty() {
        return "left";
    }
    account.name = kind.person_name(who);
    account.imported = Some(account.content());
    "updated"
}
