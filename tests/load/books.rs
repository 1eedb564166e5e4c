//! A record of the acknowledged writes of accounts and entries, which is compared with the tables at the end of the
//! run.
//!
//! A write is recorded as open before it is sent, and as acknowledged when its answer reports success. A write stays
//! open if its answer is a failure or is missing. Nothing is claimed about whether an open write happened.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, stream};
use hdrhistogram::Histogram;
use journeys::sentences::WRONG_CREDENTIALS;
use journeys::{Item, Service, items, sound};
use serde_json::{Value, json};

/// How many accounts are checked at once.
const AT_ONCE: usize = 4;

/// An account after its last acknowledged write.
#[derive(Clone, Default)]
pub(crate) struct Account {
    pub(crate) email: String,
    /// `None` if the user signs in with the identity provider.
    pub(crate) password: Option<String>,
    pub(crate) name: String,
    /// The file name at the end of the avatar's URL.
    pub(crate) avatar: String,
    pub(crate) news: bool,
}

impl Account {
    /// How the `user` of an answer differs from the account, if it does.
    pub(crate) fn difference(&self, user: &Value) -> Option<String> {
        let known = json!({"email": self.email, "name": self.name, "accept_news": u8::from(self.news)});
        let is_same = known.as_object().unwrap().iter().all(|(name, value)| user.get(name) == Some(value));
        let avatar = user["url_image"].as_str().unwrap_or_default();
        let is_same = is_same && avatar.ends_with(&format!("/assets/avatars/{}", self.avatar));
        (!is_same).then(|| format!("{user} is not {known} with the avatar {}", self.avatar))
    }
}

/// The acknowledged state of an account.
#[derive(Clone)]
pub(crate) enum Standing {
    /// A write is in progress or has failed, or its changes are not known.
    Open,
    /// The service has confirmed this state.
    Acknowledged(Account),
    /// The service has confirmed the deletion of this account.
    Deleted(Account),
}

/// The acknowledged writes of accounts and entries, and how long each answer took.
#[derive(Default)]
pub(crate) struct Books {
    /// By email.
    pub(crate) accounts: BTreeMap<String, Standing>,
    /// Whether each entry was acknowledged, by its text.
    pub(crate) entries: BTreeMap<String, bool>,
    pub(crate) writes: usize,
    /// The response times of each path in microseconds.
    pub(crate) times: BTreeMap<&'static str, Histogram<u64>>,
}

impl Books {
    /// The number of answers so far.
    pub(crate) fn answers(&self) -> u64 {
        self.times.values().map(Histogram::len).sum()
    }

    /// The differences between the tables and the acknowledged writes. `entries` are the texts and `emails` the
    /// addresses that the tables contain.
    fn differences(&self, entries: &[String], emails: &[String]) -> Vec<String> {
        let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
        for entry in entries {
            *counts.entry(entry).or_default() += 1;
        }
        let acknowledged = self.entries.iter().filter(|(_, is_acknowledged)| **is_acknowledged);
        let stored = acknowledged.map(|(entry, _)| (entry, counts.get(entry).copied().unwrap_or_default()));
        let lost = stored.filter(|(_, count)| *count != 1);
        let lost = lost.map(|(entry, count)| format!("the entry {entry} is stored {count} times"));
        let foreign = counts.keys().filter(|entry| !self.entries.contains_key(**entry));
        let foreign = foreign.map(|entry| format!("the entry {entry} was never sent"));
        let mut seen = BTreeSet::new();
        let ghosts = emails.iter().filter_map(|email| match self.accounts.get(email) {
            _ if !seen.insert(email) => Some(format!("{email} has two accounts")),
            Some(Standing::Deleted(_)) => Some(format!("{email} was deleted but is in the table")),
            None => Some(format!("{email} is in the table but was never registered")),
            Some(_) => None,
        });
        lost.chain(foreign).chain(ghosts).collect()
    }

    /// Reads everything back and returns the violated invariants and all differences from what was acknowledged. Accounts are read by signing in.
    pub(crate) async fn read_back(&self, service: &Service, dynamodb_url: &str) -> Vec<String> {
        let column = |items: &[Item], name: &str| -> Vec<String> {
            items.iter().filter_map(|item| item.get(name)?.as_s().ok().cloned()).collect()
        };
        let (entries, accounts) = (items(dynamodb_url, "entries").await, items(dynamodb_url, "accounts").await);
        let mut lost = sound::faults(&accounts, |_| true);
        // Only the profile among an account's items has an email.
        lost.extend(self.differences(&column(&entries, "body"), &column(&accounts, "email")));
        let asked = stream::iter(self.accounts.values().cloned()).map(|standing| wrong(service, standing));
        lost.extend(asked.buffer_unordered(AT_ONCE).filter_map(async |wrong| wrong).collect::<Vec<_>>().await);
        lost
    }
}

/// What is wrong with an account, according to the service's own answers.
async fn wrong(service: &Service, standing: Standing) -> Option<String> {
    let (account, is_deleted) = match standing {
        Standing::Open => return None,
        Standing::Acknowledged(account) => (account, false),
        Standing::Deleted(account) => (account, true),
    };
    let mut visitor = service.visitor();
    visitor.email.clone_from(&account.email);
    let answer = match &account.password {
        Some(password) => visitor.login(password).await,
        None => visitor.google(json!({"name": account.name})).await,
    };
    if is_deleted {
        let is_refused = answer.sentence().1 == WRONG_CREDENTIALS.1 && visitor.cookie.is_none();
        return (!is_refused).then(|| format!("{} was deleted but login answers {answer:?}", account.email));
    }
    let user = visitor.session().await.json()["user"].clone();
    account.difference(&user).map(|difference| format!("{}: {difference}", account.email))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_that_was_lost_is_reported() {
        let (email, avatar) = ("ana@example.com".to_owned(), "07.jpeg".to_owned());
        let account = Account { email, name: "Ana".to_owned(), avatar, news: true, ..Account::default() };
        let user = json!({"id": 1, "email": "ana@example.com", "name": "Ana", "accept_news": 1,
            "url_image": "http://localhost:5173/assets/avatars/07.jpeg"});
        assert_eq!(account.difference(&user), None);
        for (member, other) in [
            ("email", json!("luis@example.com")),
            ("name", json!("Persona 1")),
            ("accept_news", json!(0)),
            ("url_image", json!("http://localhost:5173/assets/avatars/default.jpeg")),
        ] {
            let mut lost = user.clone();
            lost[member] = other;
            assert!(account.difference(&lost).is_some(), "{member}");
        }
        assert!(account.difference(&Value::Null).is_some());
    }

    #[test]
    fn missing_duplicate_deleted_and_foreign_rows_are_reported() {
        let standings =
            [Standing::Acknowledged(Account::default()), Standing::Deleted(Account::default()), Standing::Open];
        let accounts = ["here", "gone", "open"].map(str::to_owned).into_iter().zip(standings).collect();
        let entries = [("a".to_owned(), true), ("b".to_owned(), false)].into();
        let books = Books { accounts, entries, ..Books::default() };
        for (entries, emails, lost) in [
            (&["a"][..], &["here"][..], 0),
            (&["a", "b"], &["here", "open"], 0),
            (&[], &["here"], 1),
            (&["a", "a"], &["here"], 1),
            (&["a", "c"], &["here"], 1),
            (&["a"], &["here", "gone"], 1),
            (&["a"], &["here", "here"], 1),
            (&["a"], &["here", "stranger"], 1),
        ] {
            let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
            let found = books.differences(&texts(entries), &texts(emails));
            assert_eq!(found.len(), lost, "{entries:?} {emails:?}: {found:?}");
        }
    }
}
