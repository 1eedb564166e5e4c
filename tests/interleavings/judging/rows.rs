//! The rows that a run has left in the tables: their invariants, and their state in the specification.

use std::collections::{BTreeMap, BTreeSet};

use journeys::rows::from_json;
use journeys::sentences::LOCKED;
use journeys::{Item, PASSWORD, sound};
use serde_json::Value;
use shared::Token;
use table_checks::Kind as Damage;

use crate::accounts::{WINDOW, outdated};
use crate::case::{Case, Start, Who};
use crate::judging::judge::{FAILED, Wrong, has_ended, limit};
use crate::judging::world::{Account, ModelAnswer, Origin, Session, World};
use crate::kinds::{KEYED, Kind};
use crate::running::run::Run;
use crate::subject::newcomer;

/// The rows of a run.
pub(crate) struct Rows<'a> {
    case: &'a Case,
    run: &'a Run,
    /// The address of the examined account, and its partition.
    email: &'a str,
    pk: &'a str,
}

impl<'a> Rows<'a> {
    /// The rows of a run, with the account of its case as the examined one.
    pub(crate) fn of_run(case: &'a Case, run: &'a Run) -> Self {
        Self { case, run, email: &run.subject.email, pk: &run.subject.pk }
    }

    /// The rows of the account with the identity's new address, if there is one.
    fn other(&self) -> Option<Self> {
        let other = self.run.subject.other.as_ref()?;
        Some(Self { email: &other.email, pk: &other.pk, ..*self })
    }

    /// The rows of the account that was created with the address after the first one had left it, if there is one.
    fn newcomer(&self) -> Option<Self> {
        let pk = newcomer(&self.run.rows, &self.run.subject)?;
        Some(Self { pk, ..*self })
    }

    /// Whether a row is in the partition of the account, or names it.
    fn is_mine(&self, row: &Value) -> bool {
        let pk = row["pk"]["S"].as_str().unwrap_or_default();
        let names_account = ["google#", "credential#"].iter().any(|prefix| pk.starts_with(prefix));
        if names_account { row["account"]["S"] == *self.pk } else { pk == self.pk }
    }

    fn all(&self) -> impl Iterator<Item = &Value> {
        self.run.rows.iter()
    }

    fn of(&self, sk: &'static str) -> impl Iterator<Item = &Value> {
        self.all()
            .filter(|row| self.is_mine(row))
            .filter(move |row| row["sk"]["S"].as_str().is_some_and(|found| found.starts_with(sk)))
    }

    fn profile(&self) -> Option<&Value> {
        self.of("profile").find(|row| row["sk"]["S"] == "profile")
    }

    fn origin(&self, value: &Value) -> Origin {
        let text = value["S"].as_str().or(value["N"].as_str()).or(value.as_str()).unwrap_or_default();
        self.run.names.origin(text).map_or(Origin::Start, Origin::By)
    }

    /// The invariants that hold whatever the answers are.
    pub(crate) fn check(&self) -> Result<(), Wrong> {
        let items: Vec<Item> = self.all().filter(|row| row.get("sk").is_some()).map(from_json).collect();
        // The rows of a run are not the whole table, so they lack the counter of ids. Some sessions may be left.
        let judged = |kind| !matches!(kind, Damage::Counter | Damage::SessionWithoutAccount);
        let faults = sound::faults(&items, judged);
        if !faults.is_empty() {
            return Err(faults.join("\n"));
        }
        self.check_account()?;
        self.newcomer().map_or(Ok(()), |newcomer| newcomer.check_account())?;
        self.other().map_or(Ok(()), |other| other.check_account())
    }

    fn check_account(&self) -> Result<(), Wrong> {
        let profile = self.profile();
        for session in self.of("session#") {
            let is_orphan = profile.is_none_or(|profile| profile["id"] != session["id"]);
            let is_former = self.case.start == Start::Recreated
                && session["id"]["N"].as_str() == Some(&self.run.subject.former_id().to_string());
            if is_orphan && !self.may_be_left(session) && !has_ended(session) && !is_former {
                return Err(format!("a session without an account: {session}"));
            }
        }
        for row in self.of("") {
            let sk = row["sk"]["S"].as_str().unwrap_or_default();
            let is_count = sk == "profile#address" || sk == "failures" && self.case.some(Kind::is_limited);
            if profile.is_none() && !sk.starts_with("session#") && !is_count {
                return Err(format!("a row of a deleted account: {row}"));
            }
        }
        let addresses = [self.email, &*self.run.subject.new_email];
        if profile.is_some_and(|profile| addresses.iter().all(|email| profile["email"]["S"] != **email)) {
            return Err(format!("an account with another address: {profile:?}"));
        }
        Ok(())
    }

    /// The ids of the account's passkeys.
    fn passkeys(&self) -> BTreeSet<&str> {
        let ids = self.profile().and_then(|profile| profile["passkeys"]["SS"].as_array()).into_iter().flatten();
        ids.filter_map(Value::as_str).collect()
    }

    /// Whether the row of a session may be left without its account. A login during the deletion may leave one, which
    /// gives no access (decision 17).
    fn may_be_left(&self, session: &Value) -> bool {
        let Origin::By(who) = self.origin(&session["sk"]) else { return false };
        self.case.kind(who).signs_in() && self.case.has(Kind::Delete)
    }

    /// If `notices` has handled a new password or a deletion, it has deleted the sessions that the change ended, and has
    /// sent the letter.
    pub(crate) fn check_notices(&self, who: Who, said: &ModelAnswer) -> Result<(), Wrong> {
        let kind = self.case.kind(who);
        if !kind.is_notices() || said.status == FAILED || kind == Kind::NoticeRegistration {
            return Ok(());
        }
        if let Some(session) = self.of("session#").find(|session| has_ended(session)) {
            return Err(format!("{} has left an ended session: {session}", kind.name()));
        }
        let is_same_kind = |who| self.case.kind(who) == kind;
        if !self.run.points.iter().any(|point| is_same_kind(point.step.who) && point.operation == "SendEmail") {
            return Err(format!("{} has sent no letter", kind.name()));
        }
        Ok(())
    }

    /// Nothing that existed before a lock opens the account after it. An import may create the account again as it was.
    pub(crate) fn check_lock(&self, who: Who, said: &ModelAnswer) -> Result<(), Wrong> {
        let is_locked = (said.status, said.text.as_str()) == LOCKED && !self.case.has(Kind::Import);
        let (Some(profile), Some(account)) = (self.profile().filter(|_| is_locked), self.account()?) else {
            return Ok(());
        };
        let sessions = account.sessions.iter().map(|session| match session {
            Session::OpenedBy(other) => Origin::By(*other),
            Session::First | Session::Second => Origin::Start,
        });
        let others = [&account.browsers, &account.passkeys, &account.locks].into_iter().flatten().copied();
        let one = [
            profile.get("password").map(|hash| self.origin(hash)),
            account.reset,
            account.verification,
            account.change,
        ];
        let is_earlier = |origin: Origin| match origin {
            Origin::Start => true,
            Origin::By(other) => self.run.before.contains(&(other, who)),
        };
        if sessions.chain(others).chain(one.into_iter().flatten()).any(is_earlier) {
            return Err(format!("the lock of {} has left a way into the account: {account:#?}", who.letter()));
        }
        Ok(())
    }

    /// The session in the answer's cookie is the one that the request stored.
    pub(crate) fn check_cookie(&self, who: Who) -> Result<(), Wrong> {
        let cookies = self.run.answers[who as usize]["cookies"].as_array().into_iter().flatten();
        let values = cookies.filter_map(|cookie| cookie.as_str()?.strip_prefix("session=")?.split(';').next());
        for token in values.filter_map(Token::parse) {
            let sk = format!("session#{}", token.hash());
            if self.run.names.origin(&sk) != Some(who) {
                return Err(format!("the cookie of {} belongs to no session that it has stored", who.letter()));
            }
        }
        Ok(())
    }

    /// The stored state, as the specification describes it.
    pub(crate) fn world(&self) -> Result<World, Wrong> {
        let entries = self.all().filter(|row| row.get("sk").is_none());
        let entries = entries.filter_map(|entry| {
            let text = entry["body"]["S"].as_str()?;
            let is_owned = entry.get("account").is_some();
            let sender = if is_owned { Kind::KeyedData } else { Kind::AnonymousData };
            let mut whose = self.case.whos();
            let who = whose.find(|who| {
                let is_keyed = text.contains(KEYED) && self.case.kind(*who) == sender;
                is_keyed || text.contains(&Kind::ReceiveData.person_name(*who))
            })?;
            Some((who, is_owned))
        });
        let entries: BTreeSet<_> = entries.collect();
        let since = self.run.now.saturating_sub(WINDOW) * 1000;
        let counts =
            |time: &&Value| time["N"].as_str().is_some_and(|time| time.parse().is_ok_and(|time: u64| time > since));
        let times = self.of("failures").filter_map(|row| row["times"]["L"].as_array()).flatten();
        let failures = times.filter(counts).count();
        if failures > limit() {
            return Err(format!("{failures} failed logins are counted, more than the limit of {}", limit()));
        }
        let other = self.other().map(|other| other.account()).transpose()?.flatten();
        let newcomer = self.newcomer().map(|newcomer| newcomer.account()).transpose()?.flatten();
        Ok(World { account: self.account()?, other, newcomer, entries, failures, ..World::default() })
    }

    /// The account, as the specification describes it.
    fn account(&self) -> Result<Option<Account>, Wrong> {
        let Some(profile) = self.profile() else { return Ok(None) };
        let token = |name: &str| profile.get(name).map(|hash| self.origin(hash));
        let password = match profile.get("password").map(|hash| self.origin(hash)) {
            None => None,
            Some(Origin::Start) => Some(PASSWORD.to_owned()),
            Some(Origin::By(who)) => Some(self.case.kind(who).password(who)),
        };
        let browsers = profile["browsers"]["L"].as_array().into_iter().flatten();
        let links = profile["lock_links"]["SS"].as_array().into_iter().flatten();
        let [first, second, ..] = crate::subject::stored();
        let now = self.run.now;
        let is_unexpired = |row: &Value| {
            row["expires_at"]["N"].as_str().is_some_and(|end| end.parse().is_ok_and(|end: u64| now < end))
        };
        let is_live =
            |row: &&Value| is_unexpired(row) && ["id", "generation"].iter().all(|name| row[name] == profile[name]);
        let session = |row: &Value| match self.origin(&row["sk"]) {
            Origin::By(who) => Ok(Session::OpenedBy(who)),
            Origin::Start if row["sk"]["S"] == *first => Ok(Session::First),
            Origin::Start if row["sk"]["S"] == *second => Ok(Session::Second),
            Origin::Start => Err(format!("a session that no request has opened: {row}")),
        };
        let live = || self.of("session#").filter(is_live);
        let proved = live().filter(|row| row.get("proved_at").is_some());
        Ok(Some(Account {
            made_by: self.origin(&profile["id"]),
            name: profile["name"]["S"].as_str().unwrap_or_default().to_owned(),
            news: profile["accept_news"]["N"] == "1",
            password,
            is_outdated: profile["password"]["S"] == *outdated(),
            verified: profile["email_verified"]["BOOL"] == true,
            google: profile.get("google_sub").is_some(),
            generation: profile["generation"]["N"].as_str().and_then(|n| n.parse().ok()).unwrap_or_default(),
            reset: token("reset_hash"),
            verification: token("verify_hash"),
            change: token("change_hash").filter(|_| profile["change_generation"] == profile["generation"]),
            moved: (profile["email"]["S"] == *self.run.subject.new_email).then(|| {
                let left = profile["former_emails"]["SS"][0].as_str().unwrap_or_default();
                left.split('#').nth(1) == Some("1")
            }),
            disabled: profile.get("disabled_at").is_some(),
            locks: links.map(|link| self.origin(link)).collect(),
            passkeys: self.passkeys().into_iter().map(|id| self.origin(&Value::from(id))).collect(),
            browsers: browsers.map(|browser| self.origin(&browser["M"]["hash"])).collect(),
            sessions: live().map(session).collect::<Result<_, _>>()?,
            proved: proved.map(session).collect::<Result<_, _>>()?,
            locked: profile.get("locked_at").is_some(),
            exported: profile.get("exported_at").is_some(),
            ended: BTreeMap::new(),
            imported: None,
        }))
    }
}
