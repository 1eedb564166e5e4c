//! Reads everything back that was acknowledged: accounts by logging in, entries and the absence of ghosts from the
//! tables themselves.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::{StreamExt, stream};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, SET_COOKIE};
use serde_json::{Value, json};

use crate::account::{Account, Entrance};
use crate::contract::{WRONG_CREDENTIALS, paths};
use crate::ledger::{Books, Standing};

/// Accounts that are asked for at once.
const AT_ONCE: usize = 4;
/// The embedded table asks for a signature and does not verify it.
const SIGNATURE: &str = "AWS4-HMAC-SHA256 Credential=local/20000101/eu-west-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0";
/// Losses that are shown; all are counted.
const SHOWN_MAX: usize = 20;

/// What was read back, and what was not found as it had been acknowledged.
#[derive(Default)]
pub(crate) struct Verdict {
    /// Accounts that stand.
    pub(crate) accounts: usize,
    /// Accounts that are gone, as they should be.
    pub(crate) deleted: usize,
    /// Entries that are stored.
    pub(crate) entries: usize,
    /// Accounts and entries that nobody can judge, since their last write failed.
    pub(crate) unjudged: usize,
    /// What is not as it was acknowledged.
    pub(crate) lost: usize,
    /// The first of those, in words.
    pub(crate) shown: Vec<String>,
}

impl Verdict {
    fn lose(&mut self, what: String) {
        self.lost += 1;
        if self.shown.len() < SHOWN_MAX {
            self.shown.push(what);
        }
    }
}

/// Reads everything back.
pub(crate) async fn read_back(base_url: &str, dynamodb_url: &str, books: &Books) -> Result<Verdict, String> {
    let mut verdict = Verdict::default();
    let http = reqwest::Client::new();
    entries(&column(&http, dynamodb_url, "entries", "body").await?, books, &mut verdict);
    ghosts(&column(&http, dynamodb_url, "accounts", "email").await?, books, &mut verdict);
    let asked = stream::iter(books.accounts.values().cloned()).map(|standing| asked(&http, base_url, standing));
    let mut asked = asked.buffer_unordered(AT_ONCE);
    while let Some((standing, answer)) = asked.next().await {
        match (standing, answer) {
            (Standing::Open, _) => verdict.unjudged += 1,
            (Standing::Acknowledged(_), Ok(())) => verdict.accounts += 1,
            (Standing::Deleted(_), Ok(())) => verdict.deleted += 1,
            (Standing::Acknowledged(account) | Standing::Deleted(account), Err(reason)) => {
                verdict.lose(format!("{}: {reason}", account.email));
            }
        }
    }
    Ok(verdict)
}

/// Each acknowledged entry is there once, and nothing is there that nobody sent.
fn entries(stored: &[String], books: &Books, verdict: &mut Verdict) {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in stored {
        *times.entry(entry).or_default() += 1;
    }
    for entry in &books.entries {
        match times.get(entry.as_str()) {
            Some(1) => verdict.entries += 1,
            found => verdict.lose(format!("the entry {entry} is stored {} times", found.unwrap_or(&0))),
        }
    }
    for entry in times.keys().filter(|entry| !books.entries.contains(**entry)) {
        if !books.open_entries.contains(*entry) {
            verdict.lose(format!("the entry {entry} was never sent"));
        }
    }
    verdict.unjudged += books.open_entries.len();
}

/// The table's accounts are those that stand, each once.
fn ghosts(emails: &[String], books: &Books, verdict: &mut Verdict) {
    let mut seen = BTreeSet::new();
    for email in emails {
        if !seen.insert(email) {
            verdict.lose(format!("{email} has two accounts"));
        }
        match books.accounts.get(email) {
            Some(Standing::Deleted(_)) => verdict.lose(format!("{email} was deleted, and is in the table")),
            None => verdict.lose(format!("{email} is in the table, and nobody has registered it")),
            Some(_) => {}
        }
    }
}

/// Asks the service whether an account is as the ledger has it. The error says in which way it is not.
async fn asked(http: &reqwest::Client, base_url: &str, standing: Standing) -> (Standing, Result<(), String>) {
    let answer = match &standing {
        Standing::Open => Ok(()),
        Standing::Acknowledged(account) => stands(http, base_url, account).await,
        Standing::Deleted(account) => is_gone(http, base_url, account).await,
    };
    (standing, answer)
}

async fn stands(http: &reqwest::Client, base_url: &str, account: &Account) -> Result<(), String> {
    let (cookie, _) = log_in(http, base_url, account).await?;
    let cookie = cookie.ok_or("its owner is not let in")?;
    let request = http.post(format!("{base_url}{}", paths::SESSION)).header("X-Requested-With", "XMLHttpRequest");
    let (_, body) = answer(request.header(COOKIE, cookie)).await?;
    account.difference(body.get("user").unwrap_or(&Value::Null)).map_or(Ok(()), Err)
}

async fn is_gone(http: &reqwest::Client, base_url: &str, account: &Account) -> Result<(), String> {
    let (cookie, body) = log_in(http, base_url, account).await?;
    let refused = body.get("message").and_then(Value::as_str) == Some(WRONG_CREDENTIALS);
    if cookie.is_none() && refused { Ok(()) } else { Err(format!("it was deleted, and login answers {body}")) }
}

async fn log_in(http: &reqwest::Client, base_url: &str, account: &Account) -> Result<(Option<String>, Value), String> {
    let post = |path: &str| http.post(format!("{base_url}{path}")).header("X-Requested-With", "XMLHttpRequest");
    match &account.entrance {
        Entrance::Password(password) => {
            answer(post(paths::LOGIN).form(&[("email", &account.email), ("password", password)])).await
        }
        Entrance::Google => {
            let claims = json!({"email": account.email, "name": account.name});
            let (_, credential) = answer(post("/_local/google/credential").body(claims.to_string())).await?;
            answer(post(paths::GOOGLE_LOGIN).header(CONTENT_TYPE, "application/json").body(credential.to_string()))
                .await
        }
    }
}

/// The session cookie that an answer sets, if it sets one, and its body.
async fn answer(request: reqwest::RequestBuilder) -> Result<(Option<String>, Value), String> {
    let response = request.send().await.map_err(|error| error.to_string())?;
    let cookie = response.headers().get(SET_COOKIE).and_then(|value| value.to_str().ok());
    let cookie = cookie.and_then(|value| value.split(';').next()).filter(|pair| !pair.ends_with('='));
    let cookie = cookie.map(str::to_owned);
    let text = response.text().await.map_err(|error| error.to_string())?;
    Ok((cookie, serde_json::from_str(&text).map_err(|_| format!("no JSON: {text}"))?))
}

/// An attribute of all items of a table that have it, by DynamoDB's own protocol: its SDK would take longer to build
/// than all the rest. Of an account, the profile alone has an email.
async fn column(http: &reqwest::Client, dynamodb_url: &str, table: &str, name: &str) -> Result<Vec<String>, String> {
    let mut column = Vec::new();
    let mut scan = json!({"TableName": table, "ConsistentRead": true});
    loop {
        let request = http.post(dynamodb_url).header(CONTENT_TYPE, "application/x-amz-json-1.0");
        let request = request
            .header("X-Amz-Target", "DynamoDB_20120810.Scan")
            .header(AUTHORIZATION, SIGNATURE)
            .header("X-Amz-Date", "20000101T000000Z");
        let (_, page) = answer(request.body(scan.to_string())).await?;
        let items = page.get("Items").and_then(Value::as_array);
        let items = items.ok_or_else(|| format!("the table {table} cannot be read: {page}"))?;
        column.extend(items.iter().filter_map(|item| item.get(name)?.get("S")?.as_str()).map(str::to_owned));
        let Some(last) = page.get("LastEvaluatedKey") else { return Ok(column) };
        if let Some(scan) = scan.as_object_mut() {
            scan.insert("ExclusiveStartKey".to_owned(), last.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn books() -> Books {
        let account = |email: &str| Account {
            email: email.to_owned(),
            entrance: Entrance::Google,
            name: String::new(),
            avatar: String::new(),
            news: false,
        };
        let mut books = Books::default();
        books.accounts.insert("here".to_owned(), Standing::Acknowledged(account("here")));
        books.accounts.insert("gone".to_owned(), Standing::Deleted(account("gone")));
        books.accounts.insert("open".to_owned(), Standing::Open);
        books.entries.insert("a".to_owned());
        books.open_entries.insert("b".to_owned());
        books
    }

    fn lost(judge: fn(&[String], &Books, &mut Verdict), stored: &[&str]) -> usize {
        let mut verdict = Verdict::default();
        judge(&stored.iter().map(ToString::to_string).collect::<Vec<_>>(), &books(), &mut verdict);
        verdict.lost
    }

    #[test]
    fn an_entry_that_is_missing_doubled_or_foreign_is_noticed() {
        assert_eq!(lost(entries, &["a"]), 0);
        assert_eq!(lost(entries, &["a", "b"]), 0);
        assert_eq!(lost(entries, &[]), 1);
        assert_eq!(lost(entries, &["a", "a"]), 1);
        assert_eq!(lost(entries, &["a", "c"]), 1);
    }

    #[test]
    fn a_deleted_doubled_or_foreign_account_is_noticed() {
        assert_eq!(lost(ghosts, &["here"]), 0);
        assert_eq!(lost(ghosts, &["here", "open"]), 0);
        assert_eq!(lost(ghosts, &["here", "gone"]), 1);
        assert_eq!(lost(ghosts, &["here", "here"]), 1);
        assert_eq!(lost(ghosts, &["here", "stranger"]), 1);
    }
}
