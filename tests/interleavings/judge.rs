//! The verdict about a finished run: the invariants of the rows, and whether some order of the requests as single
//! steps explains the answers and the rows.

use std::collections::{BTreeMap, BTreeSet};

use journeys::{Fate, PASSWORD};
use serde_json::Value;
use shared::Token;

use crate::actors::LIMIT;
use crate::case::{Case, Who};
use crate::kinds::Kind;
use crate::model::{outcomes, used};
use crate::passkeys::{pointer, sort_key};
use crate::run::{Point, Run};
use crate::world::{Account, Origin, Said, Session, World};

/// The status of a request that has been done or not.
const FAILED: u16 = 500;

/// The reason why a run is wrong.
pub(crate) type Wrong = String;

/// Judges a run.
pub(crate) fn judge(case: &Case, run: &Run) -> Result<(), Wrong> {
    let rows = Rows { case, run };
    rows.check()?;
    let world = rows.world()?;
    let mut said: Vec<Said> = run.answers.iter().map(said).collect();
    let is_calm = run.points.iter().all(|point| point.step.fate == Fate::Done);
    if is_calm && said.iter().any(|said| said.status == FAILED) {
        return Err(format!("a request failed without a fault: {said:?}"));
    }
    for who in case.whos() {
        rows.check_cookie(who)?;
        rows.check_heard(who, &said[who as usize])?;
        if is_doubtful(run, who) {
            said[who as usize].status = FAILED;
        }
    }
    if explained(case, &run.before, &said, &world) {
        return Ok(());
    }
    Err(format!("no order explains the answers {said:?} and what is stored, {world:#?}"))
}

/// Judges only what must hold whatever the answers are.
pub(crate) fn keeps_rules(case: &Case, run: &Run) -> Result<(), Wrong> {
    let rows = Rows { case, run };
    rows.check()?;
    rows.world()?;
    case.whos().try_for_each(|who| rows.check_cookie(who))
}

/// Whether the answer to a write was lost, and another request made a call before the repetition. If that call wrote
/// the same item, the repetition does not recognise its first attempt, and the request is refused although it was done.
fn is_doubtful(run: &Run, who: Who) -> bool {
    let lost = |place: &usize| run.points[*place].step.who == who && run.points[*place].step.fate == Fate::Lost;
    (0..run.points.len()).filter(lost).any(|place| {
        let later = &run.points[place + 1..];
        let is_again = |point: &Point| point.step.who == who && point.operation == run.points[place].operation;
        later.iter().take_while(|point| !is_again(point)).any(|point| point.step.who != who)
    })
}

/// Whether it is the session that had ended before the start.
fn has_ended(session: &Value) -> bool {
    session["sk"]["S"] == crate::accounts::stored()[4]
}

/// Whether some order of the requests gives these answers and leaves this behind.
fn explained(case: &Case, before: &BTreeSet<(Who, Who)>, said: &[Said], found: &World) -> bool {
    let order = Order { case, before, said };
    order.explains(&[World::at(case)], &mut Vec::new(), found)
}

struct Order<'a> {
    case: &'a Case,
    before: &'a BTreeSet<(Who, Who)>,
    said: &'a [Said],
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
            let next = self.after(worlds, *who);
            if next.is_empty() {
                return false;
            }
            done.push(*who);
            let is_explained = self.explains(&next, done, found);
            done.pop();
            is_explained
        })
    }

    /// The states after a request that gave its answer.
    fn after(&self, worlds: &[World], who: Who) -> Vec<World> {
        let meanwhile: Vec<Kind> = self.meanwhile(who).collect();
        // A request that failed has been done or not.
        let failed = self.said[who as usize].status == FAILED;
        let mut next = Vec::new();
        for world in worlds {
            let all = outcomes(world, self.case.kind(who), who, &meanwhile);
            let told = all.into_iter().filter(|(told, _)| failed || *told == self.said[who as usize]);
            next.extend(told.map(|(_, world)| world));
            if failed {
                next.push(world.clone());
                next.extend(used(world, self.case.kind(who), &meanwhile));
                if self.case.kind(who).is_limited() {
                    // The attempt was counted, or its count has ended, before the login failed.
                    next.push(World { failures: limit().min(world.failures + 1), ..world.clone() });
                    next.push(World { failures: 0, ..world.clone() });
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

    /// Whether a state of the model is the stored one. If several requests log in with a browser for the first time, the
    /// last write wins, and the other browsers stay unknown.
    fn agrees(&self, model: &World, found: &World) -> bool {
        let World { account, entries, failures, .. } = model.clone();
        let mut model = World { account, entries, failures, ..World::default() };
        if let (Some(model), Some(found)) = (&mut model.account, &found.account) {
            (model.imported, model.ended) = (None, BTreeMap::new());
            let is_one_lost = found.browsers.is_subset(&model.browsers) && !found.browsers.is_empty();
            let forgets = self.case.some(Kind::forgets);
            let remembers = |kind: &&Kind| kind.remembers() || (forgets && **kind == Kind::KnownLogin);
            if is_one_lost && self.case.kinds.iter().filter(remembers).count() > 1 {
                model.browsers.clone_from(&found.browsers);
            }
            // A login that ran during a deletion may have left its session, and an import has made the same account again.
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
fn limit() -> usize {
    LIMIT.parse().unwrap()
}

fn said(answer: &Value) -> Said {
    if let Some(failures) = answer["batchItemFailures"].as_array() {
        let status = if failures.is_empty() { 200 } else { FAILED };
        return Said { status, text: String::new(), name: String::new() };
    }
    let body: Value = serde_json::from_str(answer["body"].as_str().unwrap_or_default()).unwrap_or_default();
    let text = body["message"].as_str().or(body["status"].as_str()).unwrap_or_default();
    let name = body["user"]["name"].as_str().unwrap_or_default();
    let status = answer["statusCode"].as_u64().and_then(|status| status.try_into().ok()).unwrap_or_default();
    Said { status, text: text.to_owned(), name: name.to_owned() }
}

/// The rows of a run.
struct Rows<'a> {
    case: &'a Case,
    run: &'a Run,
}

impl Rows<'_> {
    fn all(&self) -> impl Iterator<Item = &Value> {
        self.run.rows.iter()
    }

    fn of<'a>(&'a self, sk: &'static str) -> impl Iterator<Item = &'a Value> {
        self.all().filter(move |row| row["sk"]["S"].as_str().is_some_and(|found| found.starts_with(sk)))
    }

    fn profile(&self) -> Option<&Value> {
        self.of("profile").next()
    }

    fn origin(&self, value: &Value) -> Origin {
        let text = value["S"].as_str().or(value["N"].as_str()).or(value.as_str()).unwrap_or_default();
        self.run.names.origin(text).map_or(Origin::Start, Origin::By)
    }

    /// The invariants that hold whatever the answers are.
    fn check(&self) -> Result<(), Wrong> {
        let profile = self.profile();
        let subs = profile.and_then(|profile| profile.get("google_sub"));
        let links: Vec<&Value> = self.of("identity").collect();
        if links.len() != usize::from(subs.is_some()) {
            return Err(format!("the identity and the profile do not agree: {links:?}, {subs:?}"));
        }
        for session in self.of("session#") {
            let is_orphan = profile.is_none_or(|profile| profile["id"] != session["id"]);
            if is_orphan && !self.may_be_left(session) && !has_ended(session) {
                return Err(format!("a session without an account: {session}"));
            }
            let generation = |row: &Value| row["generation"]["N"].as_str().and_then(|n| n.parse::<u64>().ok());
            if !is_orphan && profile.map(generation) < Some(generation(session)) {
                return Err(format!("a session of a later generation: {session}"));
            }
        }
        for row in self.all().filter(|row| row.get("sk").is_some()) {
            let sk = row["sk"]["S"].as_str().unwrap_or_default();
            let is_count = sk == "failures" && self.case.some(Kind::is_limited);
            if profile.is_none() && !sk.starts_with("session#") && sk != "challenge" && !is_count {
                return Err(format!("a row of a deleted account: {row}"));
            }
        }
        self.check_passkeys()?;
        let Some(profile) = profile else { return Ok(()) };
        let has = |name: &str| profile.get(name).is_some();
        let members = ["id", "email", "name", "url_image", "accept_news", "email_verified", "generation", "created_at"];
        if !members.into_iter().all(has) || !(has("password") || has("google_sub")) {
            return Err(format!("an incomplete account: {profile}"));
        }
        let is_halved = |token: &str| has(&format!("{token}_hash")) != has(&format!("{token}_expires_at"));
        if is_halved("reset") || is_halved("verify") || profile["email"]["S"] != *self.run.subject.email {
            return Err(format!("an inconsistent account: {profile}"));
        }
        Ok(())
    }

    /// The ids of the account's passkeys.
    fn passkeys(&self) -> BTreeSet<&str> {
        let ids = self.profile().and_then(|profile| profile["passkeys"]["SS"].as_array()).into_iter().flatten();
        ids.filter_map(Value::as_str).collect()
    }

    /// Each passkey that the profile names has its row, and the item that leads to the account; nobody has others.
    fn check_passkeys(&self) -> Result<(), Wrong> {
        let named = self.passkeys();
        let keys = |of: &'static str, member: &'static str| -> BTreeSet<&str> {
            self.of(of).filter_map(|row| row[member]["S"].as_str()).collect()
        };
        let (rows, pointers) = (keys("passkey#", "sk"), keys("credential", "pk"));
        let wanted = |key: fn(&str) -> String| -> BTreeSet<String> { named.iter().map(|id| key(id)).collect() };
        let agree = |found: &BTreeSet<&str>, key| wanted(key).iter().map(String::as_str).eq(found.iter().copied());
        if agree(&rows, sort_key) && agree(&pointers, pointer) {
            return Ok(());
        }
        Err(format!("the passkeys of the profile and their rows do not agree: {named:?}, {rows:?}, {pointers:?}"))
    }

    /// Whether the row of a session may be left without its account: a login that runs at the same time as the deletion
    /// may leave one, which gives no access (decision 17).
    fn may_be_left(&self, session: &Value) -> bool {
        let Origin::By(who) = self.origin(&session["sk"]) else { return false };
        self.case.kind(who).signs_in() && self.case.has(Kind::Delete)
    }

    /// Whoever has heard of a change has deleted the sessions that it ended, and sent the letter about it.
    fn check_heard(&self, who: Who, said: &Said) -> Result<(), Wrong> {
        let kind = self.case.kind(who);
        if !kind.hears() || said.status == FAILED || kind == Kind::HearRegistration {
            return Ok(());
        }
        if let Some(session) = self.of("session#").find(|session| has_ended(session)) {
            return Err(format!("{} has left an ended session: {session}", kind.name()));
        }
        let hears = |who| self.case.kind(who) == kind;
        if !self.run.points.iter().any(|point| hears(point.step.who) && point.operation == "SendEmail") {
            return Err(format!("{} has sent no letter", kind.name()));
        }
        Ok(())
    }

    /// The session in the answer's cookie is the one that the request has stored.
    fn check_cookie(&self, who: Who) -> Result<(), Wrong> {
        let cookies = self.run.answers[who as usize]["cookies"].as_array().into_iter().flatten();
        let values = cookies.filter_map(|cookie| cookie.as_str()?.strip_prefix("session=")?.split(';').next());
        for token in values.filter_map(Token::parse) {
            let sk = format!("session#{}", token.hash());
            if self.run.names.origin(&sk) != Some(who) {
                return Err(format!("the cookie of {} is of no session that it has written", who.letter()));
            }
        }
        Ok(())
    }

    /// What is stored, in the words of the specification.
    fn world(&self) -> Result<World, Wrong> {
        let entries = self.all().filter(|row| row.get("sk").is_none());
        let entries = entries.filter_map(|entry| {
            let text = entry["body"]["S"].as_str()?;
            let mut whose = self.case.whos();
            let who = whose.find(|who| text.contains(&Kind::ReceiveData.owner(*who)))?;
            Some((who, entry.get("account").is_some()))
        });
        let entries: BTreeSet<_> = entries.collect();
        let failures = self.of("failures").filter_map(|row| row["times"]["L"].as_array()).map(Vec::len).sum();
        if failures > limit() {
            return Err(format!("{failures} failed logins count"));
        }
        let world = World { entries, failures, ..World::default() };
        let Some(profile) = self.profile() else { return Ok(world) };
        let token = |name: &str| profile.get(name).map(|hash| self.origin(hash));
        let password = match profile.get("password").map(|hash| self.origin(hash)) {
            None => None,
            Some(Origin::Start) => Some(PASSWORD.to_owned()),
            Some(Origin::By(who)) => Some(self.case.kind(who).password(who)),
        };
        let browsers = profile["browsers"]["L"].as_array().into_iter().flatten();
        let [first, second, ..] = crate::accounts::stored();
        let now = self.run.now;
        let lives = |row: &Value| {
            row["expires_at"]["N"].as_str().is_some_and(|end| end.parse().is_ok_and(|end: u64| now < end))
        };
        let is_live = |row: &&Value| lives(row) && ["id", "generation"].iter().all(|name| row[name] == profile[name]);
        let sessions = self.of("session#").filter(is_live).map(|row| match self.origin(&row["sk"]) {
            Origin::By(who) => Ok(Session::OpenedBy(who)),
            Origin::Start if row["sk"]["S"] == *first => Ok(Session::First),
            Origin::Start if row["sk"]["S"] == *second => Ok(Session::Second),
            Origin::Start => Err(format!("a session of nobody: {row}")),
        });
        let account = Account {
            made_by: self.origin(&profile["id"]),
            name: profile["name"]["S"].as_str().unwrap_or_default().to_owned(),
            news: profile["accept_news"]["N"] == "1",
            password,
            verified: profile["email_verified"]["BOOL"] == true,
            google: profile.get("google_sub").is_some(),
            generation: profile["generation"]["N"].as_str().and_then(|n| n.parse().ok()).unwrap_or_default(),
            reset: token("reset_hash"),
            verification: token("verify_hash"),
            passkeys: self.passkeys().into_iter().map(|id| self.origin(&Value::from(id))).collect(),
            browsers: browsers.map(|browser| self.origin(&browser["M"]["hash"])).collect(),
            sessions: sessions.collect::<Result<_, _>>()?,
            ended: BTreeMap::new(),
            imported: None,
        };
        Ok(World { account: Some(account), ..world })
    }
}

#[cfg(test)]
mod tests {
    use journeys::sentences::{LOGGED_IN, RESET};

    use super::*;
    use crate::accounts::Start;

    fn said((status, text): (u16, &str), name: &str) -> Said {
        Said { status, text: text.to_owned(), name: name.to_owned() }
    }

    #[test]
    fn the_specification_refuses_what_no_order_explains() {
        let case = Case { start: Start::Registered, kinds: vec![Kind::Login, Kind::Reset] };
        let answers = [said(LOGGED_IN, "Ana García"), said(RESET, "")];
        let orders = [(Who::A, Who::B), (Who::B, Who::A)];
        let explained = |world: &World| orders.map(|order| explained(&case, &[order].into(), &answers, world));
        let (_, after_login) = outcomes(&World::at(&case), Kind::Login, Who::A, &[]).remove(0);
        let (_, right) = outcomes(&after_login, Kind::Reset, Who::B, &[]).remove(0);
        assert_eq!(explained(&right), [true, false]);
        assert_eq!(explained(&after_login), [false, false], "the reset is answered and not stored");
        let mut revived = right;
        revived.account.as_mut().unwrap().sessions.insert(Session::OpenedBy(Who::A));
        assert_eq!(explained(&revived), [false, false], "the old password's session outlives the reset");
    }
}
