//! Somebody at a browser of their own: sends requests, and takes no answer but the expected one.

use goose::prelude::*;
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::account::Account;
use crate::contract::paths;
use crate::ledger::LEDGER;

/// A step that went otherwise than it must; it is in the ledger already.
pub(crate) type Step<T = ()> = Result<T, Box<TransactionError>>;

/// A person with a browser.
pub(crate) struct Visit<'a> {
    user: &'a mut GooseUser,
    /// Who it is.
    pub(crate) account: Account,
}

impl<'a> Visit<'a> {
    /// Somebody whom the service does not know yet.
    pub(crate) fn of_somebody_new(user: &'a mut GooseUser) -> Self {
        Self { user, account: Account::of_somebody_new() }
    }

    /// Posts a form and expects this message.
    pub(crate) async fn form(&mut self, path: &str, fields: &[(&str, &str)], message: &str) -> Step<Value> {
        let body = self.send(path, |request| request.form(fields)).await?;
        if body.get("message").and_then(Value::as_str) == Some(message) {
            return Ok(body);
        }
        Err(failed(format!("{path}: {body} instead of \"{message}\"")))
    }

    /// Posts nothing and takes whatever the answer is, for paths whose answer has no message.
    pub(crate) async fn ask(&mut self, path: &str) -> Step<Value> {
        self.send(path, |request| request).await
    }

    /// Posts JSON.
    pub(crate) async fn json(&mut self, path: &str, text: String, more: &[(&str, &str)]) -> Step<Value> {
        self.send(path, |request| {
            let request = request.header("Content-Type", "application/json").body(text);
            more.iter().fold(request, |request, (name, value)| request.header(*name, *value))
        })
        .await
    }

    /// Expects a member of a body to be this.
    pub(crate) fn expect(&self, path: &str, body: &Value, member: &str, value: &Value) -> Step {
        let same = body.get(member) == Some(value);
        same.then_some(())
            .ok_or_else(|| failed(format!("{path}, {}: {body}, {member} is not {value}", self.account.email)))
    }

    /// Expects to be signed in, and everything to be as it was last acknowledged.
    pub(crate) async fn session(&mut self) -> Step {
        let body = self.ask(paths::SESSION).await?;
        let user = body.get("user").unwrap_or(&Value::Null);
        self.account
            .difference(user)
            .map_or(Ok(()), |difference| Err(failed(format!("{}: {difference}", paths::SESSION))))
    }

    /// A credential of the identity provider for this address. It is the provider's work, so it is not counted.
    pub(crate) async fn credential(&mut self) -> Step<String> {
        let claims = json!({"email": self.account.email, "name": self.account.name});
        let request = self.user.get_request_builder(&GooseMethod::Post, "/_local/google/credential")?;
        let body = peer(request.body(claims.to_string())).await?;
        body.get("credential")
            .and_then(Value::as_str)
            .map(str::to_owned)
            .ok_or_else(|| failed("no credential".to_owned()))
    }

    /// The token in the newest mail to this address. Reading mail is not counted either.
    pub(crate) async fn mailed_token(&mut self) -> Step<String> {
        let path = format!("/_local/mail?to={}", self.account.email);
        let mails = peer(self.user.get_request_builder(&GooseMethod::Get, &path)?).await?;
        let text = mails.get(0).and_then(|mail| mail.get("text")).and_then(Value::as_str).unwrap_or_default();
        let token = text.split("token=").nth(1).and_then(|rest| rest.split_whitespace().next());
        token.map(str::to_owned).ok_or_else(|| failed(format!("no reset mail has come to {}", self.account.email)))
    }

    async fn send(&mut self, path: &str, complete: impl FnOnce(RequestBuilder) -> RequestBuilder) -> Step<Value> {
        let request = self.user.get_request_builder(&GooseMethod::Post, path)?;
        let request = complete(request.header("X-Requested-With", "XMLHttpRequest"));
        let request = GooseRequest::builder().method(GooseMethod::Post).path(path).set_request_builder(request).build();
        let response = self.user.request(request).await?.response;
        let response = response.map_err(|error| failed(format!("{path}: {error:?}")))?;
        let status = response.status();
        let text = response.text().await.map_err(|error| failed(format!("{path}: {error:?}")))?;
        LEDGER.answered();
        let body = serde_json::from_str(&text).map_err(|_| failed(format!("{path}: {status}, no JSON: {text}")))?;
        if status.is_success() { Ok(body) } else { Err(failed(format!("{path}: {status} {text}"))) }
    }
}

/// Asks a peer of the service.
async fn peer(request: RequestBuilder) -> Step<Value> {
    let failed = |error: reqwest::Error| failed(format!("a peer of the service: {error:?}"));
    let text = request.send().await.map_err(failed)?.text().await.map_err(failed)?;
    Ok(serde_json::from_str(&text).unwrap_or_default())
}

#[expect(clippy::unnecessary_box_returns, reason = "as goose takes it")]
fn failed(failure: String) -> Box<TransactionError> {
    LEDGER.fail(failure.clone());
    failure.into()
}
