//! The service under test: the one at `BASE_URL`, or a stack of the tests. Mails are read and credentials are signed at
//! `BACKENDS_URL`, by default the service's URL. `MAILS_URL` overrides the URL of the mails.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, OnceLock};

use local::{Options, Stack};
use reqwest::redirect::Policy;
use serde_json::{Value, json};
use shared::HashCost;

use crate::stack::embedded::{Lines, implementation};
use crate::stack::raise_limit_of_open_files;
use crate::{Answer, Contract, Visitor};

/// A running service.
#[derive(Clone)]
pub struct Service {
    base_url: String,
    backends_url: String,
    mails: Mails,
    http: reqwest::Client,
}

impl Service {
    /// The service that all tests of this process share: the one at `BASE_URL`, or a stack that starts with the first
    /// test and ends with the process.
    pub fn shared() -> Self {
        static STACK: OnceLock<Stack> = OnceLock::new();
        raise_limit_of_open_files();
        let base_url = std::env::var("BASE_URL").unwrap_or_else(|_| {
            let stack = STACK.get_or_init(|| Stack::start(&quiet(), &|_| ()).expect("the stack starts"));
            stack.base_url().to_owned()
        });
        let backends_url = std::env::var("BACKENDS_URL").unwrap_or_else(|_| base_url.clone());
        let backends_url = backends_url.trim_end_matches('/').to_owned();
        let mails = Mails::new(&backends_url);
        Self { backends_url, mails, ..Self::at(base_url.trim_end_matches('/')) }
    }

    /// The service at an address.
    pub fn at(base_url: &str) -> Self {
        // The client does not follow redirects or store cookies. Visitors do it, so that tests can check it.
        let http = if base_url.starts_with("http://") { plain_client() } else { client() };
        let mut http = http.redirect(Policy::none());
        // Names below localhost are this machine (RFC 6761), but not every resolver supports them.
        let host = base_url.split("://").last().and_then(|rest| rest.split([':', '/']).next()).unwrap_or_default();
        if host.ends_with(".localhost") {
            http = http.resolve(host, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        }
        let mails = Mails::Local(format!("{base_url}/_local/mail"));
        let http = http.build().unwrap_or_default();
        Self { base_url: base_url.to_owned(), backends_url: base_url.to_owned(), mails, http }
    }

    /// A visitor with a new address and without cookies.
    pub fn visitor(&self) -> Visitor {
        Visitor::new(self.clone())
    }

    /// Whether the service is configured for TLS. On an emulator it is, although the tests call it over plain HTTP.
    pub fn expects_tls(&self) -> bool {
        self.base_url.starts_with("https://") || std::env::var("COOKIE_SECURE").is_ok_and(|value| value == "true")
    }

    /// A request with only a method and a URL.
    pub fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let method = method.parse().unwrap_or(reqwest::Method::POST);
        self.http.request(method, format!("{}{path}", self.base_url))
    }

    /// Sends a request, and checks the answer against the contract.
    pub async fn send(&self, request: reqwest::RequestBuilder) -> Answer {
        let (client, request) = request.build_split();
        let request = request.expect("a request");
        let (method, path) = (request.method().to_string(), self.path(request.url()));
        let answer = whole(client.execute(request).await).await;
        let faults = Contract::shared().check(&method, &path, &answer).err().unwrap_or_default();
        assert!(faults.is_empty(), "{faults}");
        answer
    }

    /// The path of a URL in the contract, without the deployment's prefix.
    fn path(&self, url: &reqwest::Url) -> String {
        let base = self.base_url.parse::<reqwest::Url>().map(|base| base.path().trim_end_matches('/').to_owned());
        url.path().strip_prefix(&base.unwrap_or_default()).unwrap_or(url.path()).to_owned()
    }

    /// A credential that the identity provider signs. These claims override its defaults.
    pub async fn credential(&self, claims: &Value) -> String {
        let request = self.http.post(format!("{}/_local/google/credential", self.backends_url)).json(claims);
        let answer = whole(request.send().await).await;
        answer.json().get("credential").and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// The messages in the local stack's dead-letter queue, oldest first.
    pub async fn dead_letters(&self) -> Vec<Value> {
        self.kept("dead-letters").await
    }

    /// The events on the local stack's bus, oldest first.
    pub async fn events(&self) -> Vec<Value> {
        self.kept("events").await
    }

    /// What a backend of the local stack has kept.
    async fn kept(&self, what: &str) -> Vec<Value> {
        let answer = whole(self.http.get(format!("{}/_local/{what}", self.backends_url)).send().await).await;
        answer.json().as_array().cloned().unwrap_or_default()
    }

    /// The mails to an address, newest first.
    pub async fn mails(&self, to: &str) -> Vec<Value> {
        let answer = whole(self.mails.request(&self.http, to).send().await).await;
        self.mails.read(&answer.json(), to)
    }
}

/// An HTTP client. It uses ring for TLS, as the functions do.
fn client() -> reqwest::ClientBuilder {
    // An error means that the process has this provider already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
}

/// A client for plain HTTP only. Otherwise each client would read all certificates of the system, which takes longer
/// than the start of a stack.
pub fn plain_client() -> reqwest::ClientBuilder {
    client().tls_certs_only([])
}

async fn whole(response: Result<reqwest::Response, reqwest::Error>) -> Answer {
    Answer::of(response.expect("an answer")).await.expect("a whole answer")
}

/// A stack with the lowest hash cost, and without log lines, which would appear in the test runner's output.
fn quiet() -> Options {
    let settings = implementation().into_iter().collect();
    Options { log: Arc::new(Lines::default()), settings, hash_cost: HashCost::LEAST, ..Options::default() }
}

/// The mailbox of the service under test.
#[derive(Clone)]
enum Mails {
    /// The local stack's, at this address.
    Local(String),
    /// `MiniStack`'s list of the mails that its SES received.
    MiniStack(String),
}

impl Mails {
    /// `MiniStack`'s mailbox at `MAILS_URL`. Without this variable, the local stack's mailbox at this URL.
    fn new(backends_url: &str) -> Self {
        std::env::var("MAILS_URL").map_or_else(|_| Self::Local(format!("{backends_url}/_local/mail")), Self::MiniStack)
    }

    /// The request for the mails to an address. `MiniStack` answers with all mails.
    fn request(&self, http: &reqwest::Client, to: &str) -> reqwest::RequestBuilder {
        match self {
            Self::Local(url) => http.get(url).query(&[("to", to)]),
            Self::MiniStack(url) => http.get(url),
        }
    }

    /// The mails to an address in the answer, newest first, in the format of the local stack.
    fn read(&self, answer: &Value, to: &str) -> Vec<Value> {
        match self {
            Self::Local(_) => answer.as_array().cloned().unwrap_or_default(),
            Self::MiniStack(_) => {
                let accounts = answer.get("messages").and_then(Value::as_object).into_iter().flatten();
                let messages = accounts.filter_map(|(_, messages)| messages.as_array()).flatten();
                messages.rev().filter_map(|message| mail(message, to)).collect()
            }
        }
    }
}

/// A message in the format of the local stack, if it is to this address.
fn mail(message: &Value, to: &str) -> Option<Value> {
    let recipients = message.get("To")?.as_array()?;
    let to = recipients.iter().filter_map(Value::as_str).find(|one| one.eq_ignore_ascii_case(to))?;
    let text = |name: &str| message.get(name).cloned().unwrap_or_default();
    Some(json!({
        "from": text("Source"), "to": to, "subject": text("Subject"), "text": text("BodyText"), "html": text("BodyHtml"),
        "sent_at": text("Timestamp"),
    }))
}
