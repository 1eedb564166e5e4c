//! The outcomes that a request may have as a single step of the specification. Where a decision allows weaker behaviour
//! for requests that overlap, they are more than one.

use journeys::sentences::{
    DELETED, INVALID_PARAMETERS, LOGGED_OUT, NO_SESSION, NO_SESSION_EMAIL, PASSKEY_REFUSED, Sentence,
    VERIFICATION_SENT, WRONG_CREDENTIALS,
};

use crate::case::Who;
use crate::judging::model::{HANDLED, add_link, is_first, step};
use crate::judging::world::{Ending, ModelAnswer, Origin, START_NAME, Session, World};
use crate::kinds::Kind;

/// The outcomes that a request may have as a single step. `meanwhile` has the kinds of the requests that overlap it.
pub(crate) fn outcomes(world: &World, kind: Kind, who: Who, meanwhile: &[Kind]) -> Vec<(ModelAnswer, World)> {
    let mut all = outcomes_at(world, kind, who, meanwhile);
    if world.is_login_old && kind.needs_proof() && meanwhile.iter().any(|other| other.is_clock()) {
        // The age of the proof was checked before the clock moved.
        let earlier = World { is_login_old: false, ..world.clone() };
        let then = outcomes_at(&earlier, kind, who, meanwhile).into_iter();
        all.extend(then.map(|(said, next)| (said, World { is_login_old: true, ..next })));
    }
    all
}

/// The outcomes of a request that checks the age of its proof in this state.
fn outcomes_at(world: &World, kind: Kind, who: Who, meanwhile: &[Kind]) -> Vec<(ModelAnswer, World)> {
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
    if kind == Kind::Confirm && ending == Ending::Closed {
        // It writes the row of the session, which must exist.
        return None;
    }
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
        if kind.session().is_some() && meanwhile.contains(&Kind::ConfirmEmail) {
            // The session stays, but the write of a request in progress has the generation from before the change.
            let said = if kind == Kind::Delete { NO_SESSION_EMAIL } else { NO_SESSION };
            all.push((ModelAnswer::of(said), world.clone()));
            if kind == Kind::CloseOne {
                // The session that stays is not on the list that was read with the generation from before.
                all.push((ModelAnswer::of(INVALID_PARAMETERS), world.clone()));
            }
        }
        if kind.replaces_session() && meanwhile.contains(&Kind::Confirm) {
            // The session was replaced as it was before its owner proved who they are.
            let (said, mut next) = all[0].clone();
            next.account.iter_mut().for_each(|account| _ = account.proved.remove(&Session::OpenedBy(who)));
            all.push((said, next));
        }
        if kind == Kind::SendVerification && meanwhile.contains(&Kind::Lock) {
            // The lock ended the session after it was checked. The link still goes to the owner of the address, and opens
            // nothing.
            let mut next = world.clone();
            let locked =
                next.account.iter_mut().find(|account| account.locked && !account.verified && is_first(account));
            if let Some(account) = locked {
                account.verification = Some(Origin::By(who));
                all.push((ModelAnswer::of(VERIFICATION_SENT), next));
            }
        }
        if kind == Kind::NoticePassword && meanwhile.contains(&kind) {
            // The other delivery of the change has not sent its letter yet.
            let mut next = world.clone();
            add_link(&mut next, who);
            all.push((ModelAnswer::of(HANDLED), next));
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
