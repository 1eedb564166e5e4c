//! The verdict about a finished run: the invariants of the rows, and whether some order of the two requests as single
//! steps explains the answers and the rows.

use std::collections::BTreeSet;

use journeys::{Fate, PASSWORD};
use serde_json::Value;
use shared::Token;

use crate::kinds::{Kind, Pair, Who};
use crate::model::{Account, Origin, Said, Session, World, outcomes};
use crate::run::{Run, Step};

/// The status of a request that has been done or not.
const FAILED: u16 = 500;

/// The reason why a run is wrong.
pub(crate) type Wrong = String;

/// Judges a run.
pub(crate) fn judge(pair: Pair, run: &Run) -> Result<(), Wrong> {
    let rows = Rows { pair, run };
    rows.check()?;
    let world = rows.world()?;
    let mut said = Who::BOTH.map(|who| said(&run.answers[who as usize]));
    for who in Who::BOTH.into_iter().filter(|who| is_doubtful(run, *who)) {
        said[who as usize].status = FAILED;
    }
    for who in Who::BOTH {
        rows.check_cookie(who)?;
    }
    let orders = Who::BOTH.into_iter().filter(|who| run.first.is_none_or(|first| first == *who));
    if orders.into_iter().any(|first| explains(pair, run.first.is_none(), first, &said, &world)) {
        return Ok(());
    }
    Err(format!("no order explains the answers {said:?} and what is stored, {world:#?}"))
}

/// Whether the answer to a write was lost, and the other request made a call before the repetition. If that call wrote
/// the same item, the repetition does not recognise its first attempt, and the request is refused although it was done.
fn is_doubtful(run: &Run, who: Who) -> bool {
    let lost = Step { who, fate: Fate::Lost };
    run.points.windows(2).any(|pair| pair[0].step == lost && pair[1].step.who != who)
}

/// Whether this order of the requests gives these answers and leaves this behind.
fn explains(pair: Pair, overlaps: bool, first: Who, said: &[Said; 2], found: &World) -> bool {
    let mut worlds = vec![World::at(pair.start)];
    for who in [first, first.other()] {
        let mut next = Vec::new();
        for world in worlds {
            // A request that failed has been done or not.
            let failed = said[who as usize].status == FAILED;
            let all = outcomes(&world, pair.kind(who), who, overlaps);
            let told = all.into_iter().filter(|(told, _)| failed || *told == said[who as usize]);
            next.extend(told.map(|(_, world)| world));
            if failed {
                next.push(world);
            }
        }
        worlds = next;
    }
    worlds.iter().any(|world| agrees(pair, world, found))
}

/// Whether a state of the model is the stored one. If both requests log in with a browser for the first time, the last
/// write wins, and the other browser stays unknown.
fn agrees(pair: Pair, model: &World, found: &World) -> bool {
    let mut model = model.clone();
    if let (Some(model), Some(found)) = (&mut model.account, &found.account) {
        let is_one_lost = found.browsers.is_subset(&model.browsers) && !found.browsers.is_empty();
        if is_one_lost && pair.kinds.iter().all(|kind| kind.remembers()) {
            model.browsers.clone_from(&found.browsers);
        }
    }
    model == *found
}

fn said(answer: &Value) -> Said {
    let body: Value = serde_json::from_str(answer["body"].as_str().unwrap_or_default()).unwrap_or_default();
    let text = body["message"].as_str().or(body["status"].as_str()).unwrap_or_default();
    let name = body["user"]["name"].as_str().unwrap_or_default();
    let status = answer["statusCode"].as_u64().and_then(|status| status.try_into().ok()).unwrap_or_default();
    Said { status, text: text.to_owned(), name: name.to_owned() }
}

/// The rows of a run.
struct Rows<'a> {
    pair: Pair,
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
        let text = value["S"].as_str().or(value["N"].as_str()).unwrap_or_default();
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
            if is_orphan && !self.may_be_left(session) {
                return Err(format!("a session without an account: {session}"));
            }
            let generation = |row: &Value| row["generation"]["N"].as_str().and_then(|n| n.parse::<u64>().ok());
            if !is_orphan && profile.map(generation) < Some(generation(session)) {
                return Err(format!("a session of a later generation: {session}"));
            }
        }
        for row in self.all().filter(|row| row.get("sk").is_some()) {
            let sk = row["sk"]["S"].as_str().unwrap_or_default();
            if profile.is_none() && !sk.starts_with("session#") {
                return Err(format!("a row of a deleted account: {row}"));
            }
        }
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

    /// Whether the row of a session may be left without its account: a login that runs at the same time as the deletion
    /// may leave one, which gives no access (decision 17).
    fn may_be_left(&self, session: &Value) -> bool {
        let Origin::By(who) = self.origin(&session["sk"]) else { return false };
        let opens = matches!(self.pair.kind(who), Kind::Login | Kind::KnownLogin | Kind::Google);
        opens && self.pair.kind(who.other()) == Kind::Delete
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
            let mut whose = Who::BOTH.into_iter();
            let who = whose.find(|who| text.contains(&Kind::ReceiveData.owner(*who)))?;
            Some((who, entry.get("account").is_some()))
        });
        let entries: BTreeSet<_> = entries.collect();
        let Some(profile) = self.profile() else { return Ok(World { account: None, entries }) };
        let token = |name: &str| profile.get(name).map(|hash| self.origin(hash));
        let password = match profile.get("password").map(|hash| self.origin(hash)) {
            None => None,
            Some(Origin::Start) => Some(PASSWORD.to_owned()),
            Some(Origin::By(who)) => Some(self.pair.kind(who).password(who)),
        };
        let browsers = profile["browsers"]["L"].as_array().into_iter().flatten();
        let [first, second, ..] = crate::accounts::stored();
        let is_live = |row: &&Value| ["id", "generation"].iter().all(|name| row[name] == profile[name]);
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
            browsers: browsers.map(|browser| self.origin(&browser["M"]["hash"])).collect(),
            sessions: sessions.collect::<Result<_, _>>()?,
        };
        Ok(World { account: Some(account), entries })
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
        let pair = Pair { start: Start::Registered, kinds: [Kind::Login, Kind::Reset] };
        let answers = [said(LOGGED_IN, "Ana García"), said(RESET, "")];
        let explained = |world: &World| Who::BOTH.map(|first| explains(pair, true, first, &answers, world));
        let (_, after_login) = outcomes(&World::at(pair.start), Kind::Login, Who::A, true).remove(0);
        let (_, right) = outcomes(&after_login, Kind::Reset, Who::B, true).remove(0);
        assert_eq!(explained(&right), [true, false]);
        assert_eq!(explained(&after_login), [false, false], "the reset is answered and not stored");
        let mut revived = right;
        revived.account.as_mut().unwrap().sessions.insert(Session::OpenedBy(Who::A));
        assert_eq!(explained(&revived), [false, false], "the old password's session outlives the reset");
    }
}
