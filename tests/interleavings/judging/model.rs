//! The specification: what each kind of request does to an account in a single step.
//!
//! It is written from the promises of the service, not from its code. Where a decision allows weaker behaviour for
//! concurrent requests, [`outcomes`] includes it.

use std::collections::BTreeSet;

use journeys::PASSWORD;
use journeys::sentences::{
    CONFIGURED, DATA_SAVED, DELETED, EMAIL_TAKEN, INVALID_PARAMETERS, INVALID_PASSKEY, INVALID_TOKEN, LINK_SENT,
    LOGGED_IN, LOGGED_OUT, NO_SESSION, NO_SESSION_EMAIL, PASSKEY_CREATED, PASSKEY_REFUSED, PASSKEY_REMOVED, REGISTERED,
    RESET, Sentence, TOO_MANY_PASSKEYS, UNKNOWN_EMAIL, VERIFICATION_SENT, VERIFIED, VERIFIED_ALREADY,
    WRONG_CREDENTIALS,
};

use crate::case::Who;
use crate::judging::world::{Account, Ending, ModelAnswer, Origin, START_NAME, Session, World};
use crate::kinds::Kind;
use crate::passkeys::FIRST_COUNTER;

/// The limit of failed logins.
const LIMIT: usize = 2;

const HANDLED: Sentence = (200, "");

/// The outcomes that a request may have as a single step. `meanwhile` has the kinds of the requests that overlap it.
pub(crate) fn outcomes(world: &World, kind: Kind, who: Who, meanwhile: &[Kind]) -> Vec<(ModelAnswer, World)> {
    let mut all = outcomes_in(world, kind, who, meanwhile);
    if meanwhile.iter().any(|other| other.may_end_all_sessions()) {
        // The use of the session was recorded before the other request ended the session.
        all.extend(used(world, kind, meanwhile).into_iter().map(|used| (ModelAnswer::of(NO_SESSION), used)));
    }
    if let Some((begun, session, ending)) = begun(world, kind, meanwhile) {
        all.extend(outcomes_in(&begun, kind, who, meanwhile).into_iter().map(|(said, mut next)| {
            // If the session has only expired since its check, this use extends its lifetime, and it is alive. A
            // session that a request has ended stays ended.
            let is_alive = ending == Ending::Expired && next.used.contains(&session) && !next.is_past_idle_timeout;
            if let Some(account) = next.account.as_mut().filter(|_| !is_alive) {
                account.end(session, ending);
            }
            (said, next)
        }));
    }
    all
}

/// The states after a request that did nothing after the check of its session. Only the use of the session is recorded,
/// which matters only to the clock.
pub(crate) fn used(world: &World, kind: Kind, meanwhile: &[Kind]) -> Vec<World> {
    let Some(session) = kind.session().filter(|_| world.may_expire) else { return Vec::new() };
    let states = [Some(world.clone()), begun(world, kind, meanwhile).map(|(begun, ..)| begun)].into_iter().flatten();
    states.filter_map(|mut state| state.live(session, true).is_some().then_some(state)).collect()
}

/// The state in which a request checked its session, if an overlapping request has ended the session since.
fn begun(world: &World, kind: Kind, meanwhile: &[Kind]) -> Option<(World, Session, Ending)> {
    let session = kind.session().filter(|_| meanwhile.iter().any(|other| other.ends_session()))?;
    let mut begun = world.clone();
    let account = begun.account.as_mut()?;
    let ending = account.ended.remove(&session)?;
    account.sessions.insert(session);
    Some((begun, session, ending))
}

/// The outcomes of a request that begins in this state.
fn outcomes_in(world: &World, kind: Kind, who: Who, meanwhile: &[Kind]) -> Vec<(ModelAnswer, World)> {
    let mut next = world.clone();
    let said = step(&mut next, kind, who);
    let caller_is_live = next.used.contains(&Session::Second);
    let mut all = vec![(said, next)];
    if !meanwhile.is_empty() {
        // The answer to a login has the name that the account had when it was read: the
        // name of the start, or the name of an import.
        if kind.signs_in() && world.account.as_ref().is_some_and(|account| account.imported.is_some()) {
            let others =
                Who::ALL.into_iter().filter(|other| *other != who).map(|other| Kind::Import.person_name(other));
            for name in [START_NAME.to_owned()].into_iter().chain(others) {
                all.push((all[0].0.clone().with_name(&name), all[0].1.clone()));
            }
        }
        for sentence in answers_between(world, kind, meanwhile) {
            let states = [world.clone()].into_iter().chain(used(world, kind, meanwhile));
            all.extend(states.map(|state| (ModelAnswer::of(sentence), state)));
        }
        if kind == Kind::Export && meanwhile.iter().any(|other| other.may_end_all_sessions()) {
            // All sessions ended after the caller's own was checked, and before the rows were read.
            let left = world.account.as_ref().filter(|account| is_first(account));
            all.extend(left.map(|account| (exported(account), world.clone())));
        }
        if kind == Kind::CloseOne && world.may_expire && caller_is_live {
            // The other session expired after the caller's own was checked.
            let used = [Session::Second].into_iter().chain(world.used.iter().copied()).collect();
            all.push((ModelAnswer::of(INVALID_PARAMETERS), World { used, ..world.clone() }));
        }
        if kind == Kind::PasskeyRegister && world.may_expire {
            // The challenge expired after the caller's session was checked.
            let mut used = world.clone();
            if used.live(Session::First, true).is_some() {
                all.push((ModelAnswer::of(PASSKEY_REFUSED), used));
            }
        }
        if kind == Kind::LimitedLogin {
            // The password was right when it was checked, which cleared the count. The other request then changed the
            // password.
            all.push((ModelAnswer::of(WRONG_CREDENTIALS), World { failures: 0, ..world.clone() }));
            if meanwhile.iter().any(|other| other.is_limited()) {
                // The other attempt was counted after this one's password was checked.
                let (said, next) = all[0].clone();
                all.push((said, World { failures: world.failures, ..next }));
            }
        }
    }
    all
}

/// Further answers that a request may give if another request came between its check and its write. The request then
/// changes nothing.
fn answers_between(world: &World, kind: Kind, meanwhile: &[Kind]) -> Vec<Sentence> {
    let is_live = |session| world.account.as_ref().is_some_and(|account| account.sessions.contains(&session));
    match kind {
        // The requested result is reached: the other request has deleted the account.
        Kind::Delete if world.account.is_none() => vec![DELETED],
        // If the session ended after the list of sessions was read, the requested result is reached. If it ended
        // before, the list does not have it.
        Kind::CloseOne if !is_live(Session::First) => vec![LOGGED_OUT, INVALID_PARAMETERS],
        // No mail is needed: the address was verified, or the account was deleted.
        Kind::SendVerification if world.account.as_ref().is_none_or(|account| account.verified) => {
            vec![VERIFICATION_SENT]
        }
        // An attempt counts until its password has been checked. In that time another login may find the limit
        // reached, and is refused (decision 18).
        Kind::LimitedLogin | Kind::LimitedWrong if meanwhile.contains(&Kind::LimitedLogin) => vec![WRONG_CREDENTIALS],
        // The account was created, changed or deleted after it was read.
        Kind::Import => vec![(200, "taken"), (200, "left")],
        _ => Vec::new(),
    }
}

/// Carries out a request and returns its answer.
fn step(world: &mut World, kind: Kind, who: Who) -> ModelAnswer {
    match kind {
        Kind::Register => {
            if world.account.is_some() {
                return ModelAnswer::of(EMAIL_TAKEN);
            }
            let password = Some(kind.password(who));
            world.account = Some(Account { password, ..Account::new(who, kind) });
            ModelAnswer::of(REGISTERED)
        }
        Kind::Login | Kind::KnownLogin | Kind::UpgradeLogin => {
            let password = Some(kind.password(who));
            let Some(account) = world.account.as_mut().filter(|account| account.password == password) else {
                return ModelAnswer::of(WRONG_CREDENTIALS);
            };
            account.is_outdated = false;
            account.sign_in(who, if kind == Kind::KnownLogin { Origin::Start } else { Origin::By(who) });
            ModelAnswer::of(LOGGED_IN).with_name(&account.name)
        }
        Kind::LimitedLogin | Kind::LimitedWrong => limited(world, kind, who),
        Kind::NoticePassword | Kind::NoticeDeletion => ModelAnswer::of(HANDLED),
        // A delivery of a record whose letter was sent does nothing.
        Kind::NoticeRegistration => {
            let is_first_time = !std::mem::replace(&mut world.is_link_sent, true);
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
            world.has_expired = true;
            ModelAnswer::of((200, ""))
        }
        Kind::Logout => {
            if let Some(account) = &mut world.account {
                account.end(Session::First, Ending::Closed);
            }
            ModelAnswer::of(LOGGED_OUT)
        }
        Kind::ResetLink => match &mut world.account {
            None => ModelAnswer::of(UNKNOWN_EMAIL),
            Some(account) => {
                account.reset = Some(Origin::By(who));
                ModelAnswer::of(LINK_SENT)
            }
        },
        Kind::Reset => {
            let Some(account) = world.holder(|account| account.reset) else { return ModelAnswer::of(INVALID_TOKEN) };
            account.set_password(kind.password(who));
            account.verified = true;
            account.browsers.clear();
            account.end_sessions();
            ModelAnswer::of(RESET)
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
    let Some(account) = world.live(session, kind != Kind::Delete) else {
        return ModelAnswer::of(if kind == Kind::Delete { NO_SESSION_EMAIL } else { NO_SESSION });
    };
    match kind {
        Kind::Delete => {
            world.deleted = account.sessions.clone();
            (world.account, world.failures) = (None, 0);
            ModelAnswer::of(DELETED)
        }
        Kind::CloseOne if account.end(Session::First, Ending::Closed) => ModelAnswer::of(LOGGED_OUT),
        Kind::CloseOthers => {
            account.browsers.clear();
            account.end_sessions();
            account.sessions.insert(Session::OpenedBy(who));
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
        Kind::RemovePasskey if account.passkeys.remove(&Origin::Start) => ModelAnswer::of(PASSKEY_REMOVED),
        Kind::CloseOne | Kind::RemovePasskey => ModelAnswer::of(INVALID_PARAMETERS),
        Kind::Export => exported(account),
        Kind::ReadSession => ModelAnswer::of((200, "")).with_name(&account.name),
        Kind::ListSessions | Kind::PasskeyOptions => ModelAnswer::of((200, "")),
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
                account.end_sessions();
                account.sessions.insert(Session::OpenedBy(who));
            }
            ModelAnswer::of(CONFIGURED)
        }
    }
}

fn google(world: &mut World, kind: Kind, who: Who) -> ModelAnswer {
    let is_linked = world.account.as_ref().is_some_and(|account| account.google);
    // The identity signs in to its linked account, whatever its address is.
    let account = if world.other.is_some() && !is_linked { &mut world.other } else { &mut world.account };
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
            account.reset = None;
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

fn exported(account: &Account) -> ModelAnswer {
    ModelAnswer::of((200, "")).with_name(&exported_as(&account.name, account.verified, account.passkeys.len()))
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
    let Some(account) = world.account.as_mut().filter(|account| account.password == password) else {
        world.failures += 1;
        return ModelAnswer::of(WRONG_CREDENTIALS);
    };
    world.failures = 0;
    account.sign_in(who, Origin::By(who));
    ModelAnswer::of(LOGGED_IN).with_name(&account.name)
}

/// Whether it has the id of the account of the start, which an imported account also has.
fn is_first(account: &Account) -> bool {
    account.made_by == Origin::Start
}

/// An import of one row with the id of the account of the start.
fn import(world: &mut World, kind: Kind, who: Who) -> &'static str {
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
