//! The verdict on a finished run: whether its rows keep the invariants, and whether some order of the requests as
//! single steps explains its answers and rows.

use std::collections::{BTreeMap, BTreeSet};

use journeys::Fate;
use serde_json::Value;
use shared::Token;

use crate::case::{Case, Who};
use crate::judging::model::exported_as;
use crate::judging::outcomes::{outcomes, used};
use crate::judging::rows::Rows;
use crate::judging::world::{ModelAnswer, Origin, Session, World};
use crate::kinds::Kind;
use crate::running::actors::LIMIT;
use crate::running::run::{Point, Run};

/// The status of a failed request, which may have been carried out.
pub(crate) const FAILED: u16 = 500;

/// The reason why a run is wrong.
pub(crate) type Wrong = String;

/// Judges a run. If a run has several faults, only the invariants are checked, because its answers need not be
/// explained.
pub(crate) fn verdict(case: &Case, run: &Run) -> Result<(), Wrong> {
    let faults = run.points.iter().filter(|point| point.step.fate != Fate::Done).count();
    if faults > 1 { check_invariants(case, run) } else { judge(case, run) }
}

fn judge(case: &Case, run: &Run) -> Result<(), Wrong> {
    let rows = Rows::of_run(case, run);
    rows.check()?;
    check_calls(case, run)?;
    let world = rows.world()?;
    let mut said: Vec<ModelAnswer> = run.answers.iter().map(said).collect();
    let is_without_faults = run.points.iter().all(|point| point.step.fate == Fate::Done);
    if is_without_faults && said.iter().any(|said| said.status == FAILED) {
        return Err(format!("a request failed without a fault: {said:?}"));
    }
    for who in case.whos() {
        rows.check_cookie(who)?;
        rows.check_notices(who, &said[who as usize])?;
        rows.check_lock(who, &said[who as usize])?;
        if case.kind(who) == Kind::Lease {
            // The specification does not say which id comes next.
            said[who as usize].text.clear();
        }
        if is_unclear(&run.points, who) {
            said[who as usize].status = FAILED;
        }
    }
    if explained(case, &run.before, &said, &world) {
        return Ok(());
    }
    Err(format!("no order explains the answers {said:?} and what is stored, {world:#?}"))
}

/// Checks only the invariants, which hold whatever the answers are.
fn check_invariants(case: &Case, run: &Run) -> Result<(), Wrong> {
    let rows = Rows::of_run(case, run);
    rows.check()?;
    check_calls(case, run)?;
    rows.world()?;
    case.whos().try_for_each(|who| {
        rows.check_cookie(who)?;
        rows.check_lock(who, &said(&run.answers[who as usize]))
    })
}

/// Whether the answer to a write was lost, and another request made a call before the retry. If that call wrote the
/// same item, the retry does not recognise its first attempt, and the request is refused although it was carried out.
pub(crate) fn is_unclear(points: &[Point], who: Who) -> bool {
    let lost = |index: &usize| points[*index].step.who == who && points[*index].step.fate == Fate::Lost;
    (0..points.len()).filter(lost).any(|index| {
        let later = &points[index + 1..];
        let is_again = |point: &Point| point.step.who == who && point.operation == points[index].operation;
        later.iter().take_while(|point| !is_again(point)).any(|point| point.step.who != who)
    })
}

/// Whether it is the session that had ended before the start.
pub(crate) fn has_ended(session: &Value) -> bool {
    crate::subject::stored().last().is_some_and(|ended| session["sk"]["S"] == **ended)
}

/// Whether some order of the requests explains these answers and these rows.
fn explained(case: &Case, before: &BTreeSet<(Who, Who)>, said: &[ModelAnswer], found: &World) -> bool {
    let order = Order { case, before, said };
    order.explains(&[World::at(case)], &mut Vec::new(), found)
}

struct Order<'a> {
    case: &'a Case,
    before: &'a BTreeSet<(Who, Who)>,
    said: &'a [ModelAnswer],
}

impl Order<'_> {
    /// Whether the requests that are not in `done`, in some order, lead from one of these states to the stored one.
    fn explains(&self, worlds: &[World], done: &mut Vec<Who>, found: &World) -> bool {
        let left: Vec<Who> = self.case.whos().filter(|who| !done.contains(who)).collect();
        if left.is_empty() {
            return worlds.iter().any(|world| self.agrees(world, found));
        }
        let is_next = |who: &&Who| !left.iter().any(|other| self.before.contains(&(*other, **who)));
        left.iter().filter(is_next).any(|who| {
            let next = self.after(&self.with_early_uses(worlds, *who, &left), *who);
            if next.is_empty() {
                return false;
            }
            done.push(*who);
            let is_explained = self.explains(&next, done, found);
            done.pop();
            is_explained
        })
    }

    /// These states, and those in which a request that overlaps `who` has recorded the use of its session already.
    fn with_early_uses(&self, worlds: &[World], who: Who, left: &[Who]) -> Vec<World> {
        let overlapping = left.iter().filter(|other| **other != who && !self.before.contains(&(who, **other)));
        let early = overlapping.flat_map(|other| {
            let meanwhile: Vec<Kind> = self.meanwhile(*other).collect();
            worlds.iter().flat_map(move |world| used(world, self.case.kind(*other), &meanwhile)).collect::<Vec<_>>()
        });
        worlds.iter().cloned().chain(early).collect()
    }

    /// The states after a request that gave the observed answer.
    fn after(&self, worlds: &[World], who: Who) -> Vec<World> {
        let meanwhile: Vec<Kind> = self.meanwhile(who).collect();
        // A failed request may or may not have been carried out.
        let failed = self.said[who as usize].status == FAILED;
        let mut next = Vec::new();
        for world in worlds {
            let all = outcomes(world, self.case.kind(who), who, &meanwhile);
            let told = all.into_iter().filter(|(told, _)| failed || *told == self.said[who as usize]);
            next.extend(told.map(|(_, world)| world));
            if failed {
                let done: Vec<World> = next.clone();
                if self.case.kind(who) == Kind::Lock {
                    // Its mail failed, so its link is live again.
                    let with_link = |mut world: World| {
                        world.account.iter_mut().for_each(|account| _ = account.locks.insert(Origin::Start));
                        world
                    };
                    next.extend(done.into_iter().map(with_link));
                } else if self.case.kind(who).is_notices() {
                    // It failed before it sent the letter.
                    next.extend(done.into_iter().map(|done| World { is_letter_sent: world.is_letter_sent, ..done }));
                }
                next.push(world.clone());
                next.extend(used(world, self.case.kind(who), &meanwhile));
                if self.case.kind(who).is_limited() {
                    // Before the login failed, its attempt was counted or its count was cleared.
                    next.push(World { failures: limit().min(world.failures + 1), ..world.clone() });
                    next.push(World { failures: 0, ..world.clone() });
                }
                if self.case.kind(who) == Kind::UpgradeLogin {
                    // The hash was upgraded before the login failed.
                    let mut upgraded = world.clone();
                    upgraded.account.iter_mut().for_each(|account| account.is_outdated = false);
                    next.push(upgraded);
                }
            }
        }
        next
    }

    /// The kinds of the requests that run at the same time.
    fn meanwhile(&self, who: Who) -> impl Iterator<Item = Kind> {
        let is_ordered = move |other: Who| [(other, who), (who, other)].iter().any(|pair| self.before.contains(pair));
        let overlap = self.case.whos().filter(move |other| *other != who && !is_ordered(*other));
        overlap.map(|other| self.case.kind(other))
    }

    /// Whether a state of the model matches the stored one. If several new browsers log in at the same time, the last
    /// write wins, and the others stay unknown.
    fn agrees(&self, model: &World, found: &World) -> bool {
        let World { account, other, newcomer, entries, failures, .. } = model.clone();
        let mut model = World { account, other, newcomer, entries, failures, ..World::default() };
        if let (Some(model), Some(found)) = (&mut model.account, &found.account) {
            (model.imported, model.ended) = (None, BTreeMap::new());
            model.proved.retain(|session| model.sessions.contains(session));
            // A lock whose mail failed makes its link live again, after another lock has been refused.
            let has_failed =
                |who: &Who| self.case.kind(*who) == Kind::Lock && self.said[*who as usize].status == FAILED;
            if found.locks.contains(&Origin::Start) && model.locked && self.case.whos().any(|who| has_failed(&who)) {
                model.locks.insert(Origin::Start);
            }
            // A login succeeds even if its upgrade of the hash is refused.
            model.is_outdated = found.is_outdated;
            let is_one_lost = found.browsers.is_subset(&model.browsers) && !found.browsers.is_empty();
            let forgets = self.case.some(Kind::forgets);
            let remembers = |kind: &&Kind| kind.remembers() || (forgets && **kind == Kind::KnownLogin);
            if is_one_lost && self.case.kinds.iter().filter(remembers).count() > 1 {
                model.browsers.clone_from(&found.browsers);
            }
            // A login during a deletion may have left its session, and an import may have created the same account
            // again.
            let is_same = model.made_by == Origin::Start && self.case.has(Kind::Import);
            let is_left = |who: &Who| {
                found.sessions.contains(&Session::OpenedBy(*who))
                    && self.meanwhile(*who).any(|kind| kind == Kind::Delete)
            };
            for who in self.case.whos().filter(|who| is_same && self.case.kind(*who).signs_in() && is_left(who)) {
                model.sessions.insert(Session::OpenedBy(who));
                model.browsers.clone_from(&found.browsers);
            }
        }
        model == *found
    }
}

/// The limit of failed logins.
pub(crate) fn limit() -> usize {
    LIMIT.parse().unwrap()
}

/// The answer of a request, as the specification describes it.
pub(crate) fn said(answer: &Value) -> ModelAnswer {
    if let Some(failures) = answer["batchItemFailures"].as_array() {
        let status = if failures.is_empty() { 200 } else { FAILED };
        return ModelAnswer { status, text: String::new(), name: String::new() };
    }
    let body: Value = serde_json::from_str(answer["body"].as_str().unwrap_or_default()).unwrap_or_default();
    let text = body["message"].as_str().or(body["status"].as_str()).unwrap_or_default();
    let name = match body["account"]["name"].as_str() {
        Some(name) => {
            let passkeys = body["passkeys"].as_array().map_or(0, Vec::len);
            exported_as(name, body["account"]["email_verified"] == true, passkeys)
        }
        None => body["user"]["name"].as_str().unwrap_or_default().to_owned(),
    };
    let status = answer["statusCode"].as_u64().and_then(|status| status.try_into().ok()).unwrap_or_default();
    ModelAnswer { status, text: text.to_owned(), name }
}

/// The operations with which an import writes an account.
const WRITES: [&str; 2] = ["PutItem", "TransactWriteItems"];

/// Checks the invariants of the calls of a run: its mails, its entries and its ids.
fn check_calls(case: &Case, run: &Run) -> Result<(), Wrong> {
    check_mails(case, run)?;
    check_counts(case, run)?;
    check_entries(case, run)?;
    check_ids(case, run)
}

/// A request stores the token of a link before it mails the link.
fn check_mails(case: &Case, run: &Run) -> Result<(), Wrong> {
    for (index, mail) in run.points.iter().enumerate().filter(|(_, point)| point.operation == "SendEmail") {
        let who = mail.step.who;
        let tokens = tokens(&mail.asked);
        if tokens.is_empty()
            && matches!(case.kind(who), Kind::ResetLink | Kind::SendVerification | Kind::Lock | Kind::ChangeEmail)
        {
            return Err(format!("the mail of {} has no link", who.letter()));
        }
        let earlier = || run.points[..index].iter().filter(|point| point.step.who == who && point.is_done);
        for hash in tokens.iter().map(Token::hash) {
            if !earlier().any(|point| point.operation != "SendEmail" && point.asked.to_string().contains(&hash)) {
                return Err(format!("{} has mailed a link whose token it has not stored", who.letter()));
            }
        }
    }
    Ok(())
}

/// Each mailed link is counted, also if its account is gone.
fn check_counts(case: &Case, run: &Run) -> Result<(), Wrong> {
    let counts =
        [("resets", &[Kind::ResetLink][..]), ("verifications", &[Kind::SendVerification, Kind::NoticeRegistration])];
    for (sk, kinds) in counts {
        let is_mail = |point: &&Point| point.operation == "SendEmail" && kinds.contains(&case.kind(point.step.who));
        let mails = run.points.iter().filter(is_mail);
        let mailed: BTreeSet<String> = mails.flat_map(|mail| tokens(&mail.asked)).map(|token| token.hash()).collect();
        let is_count = |row: &&Value| row["pk"]["S"] == *run.subject.mails() && row["sk"]["S"] == sk;
        let counted = run.rows.iter().find(is_count).and_then(|row| row["times"]["L"].as_array()).map_or(0, Vec::len);
        if mailed.len() > counted {
            return Err(format!("{} links were mailed, and {counted} {sk} are counted", mailed.len()));
        }
    }
    Ok(())
}

/// The tokens in a mail.
fn tokens(mail: &Value) -> Vec<Token> {
    let text = mail.to_string();
    let is_apart = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
    text.split(is_apart).filter_map(Token::parse).collect()
}

/// No entry is stored for an account after its deletion, unless an import has created the account again. Entries that were
/// stored before are erased later, by `notices`.
fn check_entries(case: &Case, run: &Run) -> Result<(), Wrong> {
    let parts = |point: &Point| point.asked["TransactItems"].as_array().cloned().unwrap_or_default();
    let deletes = |part: &Value| {
        let key = &part["Delete"]["Key"];
        key["sk"]["S"] == "profile" && key["pk"]["S"] == *run.subject.pk
    };
    let Some(end) = run.points.iter().position(|point| point.is_done && parts(point).iter().any(deletes)) else {
        return Ok(());
    };
    let is_owned = |part: &Value| part["Put"]["Item"]["account"]["N"].as_str() == Some(&run.subject.id.to_string());
    // The retry of a transaction whose answer was lost writes nothing.
    let token = |point: &Point| point.asked["ClientRequestToken"].clone();
    let is_again = |point: &Point| run.points[..end].iter().any(|one| one.is_done && token(one) == token(point));
    let is_late = |point: &Point| point.is_done && parts(point).iter().any(is_owned) && !is_again(point);
    let imports = |point: &Point| {
        case.kind(point.step.who) == Kind::Import && point.is_done && WRITES.contains(&point.operation.as_str())
    };
    if run.points[end..].iter().take_while(|point| !imports(point)).any(is_late) {
        return Err("an entry was stored for an account that had been deleted".to_owned());
    }
    Ok(())
}

/// No id was assigned twice.
fn check_ids(case: &Case, run: &Run) -> Result<(), Wrong> {
    let leases = case.whos().filter(|who| case.kind(*who) == Kind::Lease);
    let answers = leases.map(|who| said(&run.answers[who as usize])).filter(|said| said.status != FAILED);
    let ids: Vec<String> = answers.map(|said| said.text).collect();
    if ids.iter().collect::<BTreeSet<_>>().len() < ids.len() {
        return Err(format!("an id was assigned twice: {ids:?}"));
    }
    Ok(())
}

#[test]
fn the_specification_refuses_what_no_order_explains() {
    use journeys::sentences::{LOGGED_IN, RESET};
    let case = Case { start: crate::case::Start::Registered, kinds: vec![Kind::Login, Kind::Reset] };
    let answers = [ModelAnswer::of(LOGGED_IN).with_name("Ana García"), ModelAnswer::of(RESET)];
    let explained = |world: &World| {
        [(Who::A, Who::B), (Who::B, Who::A)].map(|order| explained(&case, &[order].into(), &answers, world))
    };
    let (_, after_login) = outcomes(&World::at(&case), Kind::Login, Who::A, &[]).remove(0);
    let (_, right) = outcomes(&after_login, Kind::Reset, Who::B, &[]).remove(0);
    assert_eq!(explained(&right), [true, false]);
    assert_eq!(explained(&after_login), [false, false], "the reset is answered and not stored");
    let mut revived = right;
    revived.account.as_mut().unwrap().sessions.insert(Session::OpenedBy(Who::A));
    assert_eq!(explained(&revived), [false, false], "the old password's session outlives the reset");
}
