//! The captcha of a login, with a provider that the tests run.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use journeys::{Answer, ClosedPort, Embedded, Failure, PASSWORD, Visitor, paths, serve};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// A provider with a fixed answer, and the requests that it received.
struct Provider {
    url: String,
    requests: Arc<Mutex<Vec<(String, String)>>>,
}

impl Provider {
    async fn start(status: u16, answer: &'static str, after: Duration) -> Self {
        let requests: Arc<Mutex<Vec<(String, String)>>> = Arc::default();
        let kept = requests.clone();
        let respond = async move |headers: HeaderMap, body: String| {
            let kind = headers["content-type"].to_str().unwrap().to_owned();
            kept.lock().unwrap().push((kind, body));
            tokio::time::sleep(after).await;
            (StatusCode::from_u16(status).unwrap(), answer)
        };
        let url = serve(Router::new().fallback(respond)).await + "/siteverify";
        Self { url, requests }
    }

    fn requests(&self) -> Vec<(String, String)> {
        std::mem::take(&mut self.requests.lock().unwrap())
    }
}

/// A stack with this provider, and a registered visitor.
async fn start_with(provider: &Provider, further: &[(&str, &str)]) -> (Embedded, Visitor) {
    let settings = [&[("CAPTCHA_SECRET", "s3cr&t ="), ("CAPTCHA_VERIFY_URL", &provider.url)], further].concat();
    let (stack, ana) = Embedded::registered(&settings).await;
    (stack, ana)
}

/// A provider that gives this answer, and a stack and a visitor as of [`start_with`].
async fn start(answer: &'static str) -> (Provider, Embedded, Visitor) {
    let provider = Provider::start(200, answer, Duration::ZERO).await;
    let (stack, ana) = start_with(&provider, &[]).await;
    (provider, stack, ana)
}

async fn login(visitor: &mut Visitor, captcha: &str) -> Answer {
    let email = visitor.email.clone();
    let fields = [("email", &*email), ("password", PASSWORD), ("g-captcha-response", captcha)];
    visitor.form(paths::LOGIN, &fields).await
}

const ACCEPTED: &str = r#"{"success":true,"challenge_ts":"2026-01-01T00:00:00Z","hostname":"app.example"}"#;
const REFUSED: &str = r#"{"success":false,"error-codes":["invalid-input-response"]}"#;

#[tokio::test]
async fn without_a_secret_a_captcha_token_is_ignored() {
    let provider = Provider::start(200, REFUSED, Duration::ZERO).await;
    let (_stack, mut ana) = Embedded::registered(&[("CAPTCHA_VERIFY_URL", &provider.url)]).await;
    assert_eq!(login(&mut ana, "any").await.success(), true);
    assert!(provider.requests().is_empty());
}

#[tokio::test]
async fn with_an_accepted_token_the_login_continues() {
    let (provider, _stack, mut ana) = start(ACCEPTED).await;
    assert_eq!(login(&mut ana, "tok+en&x=1 ñ").await.success(), true);
    let requests = provider.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].0, "application/x-www-form-urlencoded");
    let form = "secret=s3cr%26t%20%3D&response=tok%2Ben%26x%3D1%20%C3%B1";
    assert_eq!(requests[0].1, form);
}

#[tokio::test]
async fn a_refused_token_ends_the_login_before_any_call_to_the_table() {
    let (_provider, stack, mut ana) = start(REFUSED).await;
    drop(stack.table.calls());
    let answer = login(&mut ana, "forged").await;
    assert_eq!(answer.sentence(), (200, "Captcha inválido".to_owned()));
    assert_eq!((answer.success(), answer.opened()), (false.into(), None));
    assert!(stack.table.calls().is_empty());
}

#[tokio::test]
async fn a_token_that_is_too_long_is_refused_without_calling_the_provider() {
    let (provider, _stack, mut ana) = start(ACCEPTED).await;
    assert_eq!(login(&mut ana, &"x".repeat(1_000_000)).await.sentence(), (200, "Captcha inválido".to_owned()));
    assert!(provider.requests().is_empty());
}

/// Asserts which answers of the provider a login with this setting accepts.
async fn assert_judged(setting: (&str, &str), rows: &[(&'static str, bool)]) {
    for &(body, accepted) in rows {
        let provider = Provider::start(200, body, Duration::ZERO).await;
        let (_stack, mut ana) = start_with(&provider, &[setting]).await;
        let answer = login(&mut ana, "token").await;
        assert_eq!(answer.success(), accepted, "{body}");
        assert!(accepted || answer.sentence() == (200, "Captcha inválido".to_owned()), "{body}: {answer:?}");
    }
}

#[tokio::test]
async fn a_token_from_another_host_is_refused_when_the_host_is_set() {
    let rows = [
        (ACCEPTED, true),
        (r#"{"success":true,"hostname":"localhost"}"#, true),
        (r#"{"success":true,"hostname":"evil-app.example"}"#, false),
        (r#"{"success":true,"hostname":""}"#, false),
        (r#"{"success":true}"#, false),
        (r#"{"success":false,"hostname":"app.example"}"#, false),
    ];
    assert_judged(("CAPTCHA_HOSTNAME", "localhost,app.example"), &rows).await;
}

#[tokio::test]
async fn a_token_with_a_low_score_is_refused_when_a_minimum_is_set() {
    let rows = [
        (r#"{"success":true,"score":0.5}"#, true),
        (r#"{"success":true,"score":0.4}"#, false),
        (r#"{"success":true,"score":null}"#, false),
        (ACCEPTED, false),
        (r#"{"success":false,"score":0.9}"#, false),
    ];
    assert_judged(("CAPTCHA_MIN_SCORE", "0.5"), &rows).await;
}

/// A provider that keeps each connection open after an answer, and closes it when another request arrives. The same
/// happens to a function if the provider closes an idle connection while the function is frozen.
async fn provider_that_closes_idle_connections() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/siteverify", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let mut request = Vec::new();
                while !request.ends_with(b"token") {
                    assert_ne!(stream.read_buf(&mut request).await.unwrap(), 0, "a whole request");
                }
                let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{ACCEPTED}", ACCEPTED.len());
                stream.write_all(answer.as_bytes()).await.unwrap();
                let _ = stream.read(&mut [0; 1024]).await;
            });
        }
    });
    url
}

#[tokio::test]
async fn a_connection_that_the_provider_closes_does_not_fail_the_login() {
    let provider = Provider { url: provider_that_closes_idle_connections().await, requests: Arc::default() };
    let (_stack, mut ana) = start_with(&provider, &[]).await;
    for _ in 0..3 {
        let answer = login(&mut ana, "token").await;
        assert_eq!(answer.success(), true, "{answer:?}");
    }
}

#[tokio::test]
async fn an_absent_token_passes_unless_it_is_required() {
    let (provider, _stack, mut ana) = start(ACCEPTED).await;
    assert_eq!(ana.login(PASSWORD).await.success(), true);
    assert_eq!(login(&mut ana, "").await.success(), true);
    let (_other, mut eva) = start_with(&provider, &[("CAPTCHA_REQUIRED", "true")]).await;
    for refused in [eva.login(PASSWORD).await, login(&mut eva, "").await] {
        assert_eq!(refused.sentence(), (200, "Captcha inválido".to_owned()));
    }
    assert!(provider.requests().is_empty());
    assert_eq!(login(&mut eva, "token").await.success(), true);
}

#[tokio::test]
async fn a_login_fails_if_the_captcha_provider_fails() {
    let bodies = ["<html>ok</html>", "{}", r#"{"success":"true"}"#].map(|body| (200, body));
    for (status, body) in [(500, ACCEPTED), (302, ACCEPTED)].into_iter().chain(bodies) {
        let provider = Provider::start(status, body, Duration::ZERO).await;
        let (_stack, mut ana) = start_with(&provider, &[]).await;
        let answer = login(&mut ana, "token").await;
        assert_eq!(answer.sentence(), (500, "Error interno del servidor".to_owned()), "{status} {body}");
        assert_eq!(ana.cookie, None);
    }
    let closed = ClosedPort::take().unwrap();
    let provider = Provider { url: format!("http://{}", closed.address().unwrap()), requests: Arc::default() };
    let (_stack, mut ana) = start_with(&provider, &[]).await;
    assert_eq!(login(&mut ana, "token").await.sentence(), (500, "Error interno del servidor".to_owned()), "down");
    assert_eq!(ana.login(PASSWORD).await.success(), true, "without a token the provider is not called");
}

#[tokio::test]
async fn a_secret_that_the_provider_does_not_accept_is_a_fault_and_not_a_refused_token() {
    for (codes, is_fault) in [
        (r#"["invalid-input-secret"]"#, true),
        (r#"["invalid-input-response","missing-input-secret"]"#, true),
        (r#"["invalid-keys"]"#, true),
        (r#"["timeout-or-duplicate"]"#, false),
        (r#"["bad-request","sitekey-secret-mismatch"]"#, false),
        ("[]", false),
    ] {
        let body: &'static str = format!(r#"{{"success":false,"error-codes":{codes}}}"#).leak();
        let (_provider, stack, mut ana) = start(body).await;
        let answer = login(&mut ana, "token").await;
        let expected = if is_fault { (500, "Error interno del servidor") } else { (200, "Captcha inválido") };
        assert_eq!(answer.sentence(), (expected.0, expected.1.to_owned()), "{codes}");
        let log = stack.log().join("\n");
        assert_eq!(log.contains(r#""level":"ERROR""#) && log.contains("CaptchaSecretArn"), is_fault, "{codes}: {log}");
    }
}

#[tokio::test]
async fn the_field_that_the_widget_of_a_provider_adds_to_a_form_is_read_too() {
    let (provider, _stack, mut ana) = start(REFUSED).await;
    let email = ana.email.clone();
    for name in ["g-captcha-response", "g-recaptcha-response", "h-captcha-response", "cf-turnstile-response", "altcha"]
    {
        let fields = [("email", &*email), ("password", PASSWORD), ("g-captcha-response", ""), (name, "token")];
        let fields = if name == "g-captcha-response" { [fields[0], fields[1], fields[3], fields[3]] } else { fields };
        assert_eq!(ana.form(paths::LOGIN, &fields).await.sentence(), (200, "Captcha inválido".to_owned()), "{name}");
        assert!(provider.requests()[0].1.ends_with("&response=token"), "{name}");
    }
}

#[tokio::test]
async fn a_login_waits_at_most_three_seconds_for_the_provider() {
    let provider = Provider::start(200, ACCEPTED, Duration::from_millis(3_200)).await;
    let (_stack, mut ana) = start_with(&provider, &[]).await;
    let answer = tokio::time::timeout(Duration::from_secs(6), login(&mut ana, "token")).await.unwrap();
    assert_eq!(answer.sentence(), (500, "Error interno del servidor".to_owned()));
}

/// The answer of the secret store.
fn secret(value: &str) -> Failure {
    Failure::Answer(200, json!({"ARN": "a", "Name": "n", "SecretString": value}).to_string())
}

#[tokio::test]
async fn the_secret_is_fetched_once_and_again_after_five_minutes() {
    let (provider, stack, mut ana) = start(ACCEPTED).await;
    for _ in 0..2 {
        login(&mut ana, "token").await;
    }
    assert_eq!(stack.secrets.calls(), ["GetSecretValue"]);
    assert!(provider.requests().iter().all(|(_, form)| form.starts_with("secret=s3cr%26t%20%3D&")));
    stack.secrets.fail_always(secret("changed\n"));
    login(&mut ana, "token").await;
    assert!(provider.requests()[0].1.starts_with("secret=s3cr%26t%20%3D&"));
    stack.advance(Duration::from_mins(5));
    assert_eq!(login(&mut ana, "token").await.success(), true);
    assert!(provider.requests()[0].1.starts_with("secret=changed&"));
}

#[tokio::test]
async fn a_cached_secret_is_used_while_no_new_one_can_be_fetched() {
    let (_provider, stack, mut ana) = start(ACCEPTED).await;
    login(&mut ana, "token").await;
    stack.secrets.fail_always(Failure::Answer(400, r#"{"__type":"AccessDeniedException"}"#.to_owned()));
    stack.advance(Duration::from_mins(5));
    drop(stack.secrets.calls());
    for _ in 0..2 {
        assert_eq!(login(&mut ana, "token").await.success(), true);
    }
    assert_eq!(stack.secrets.calls().len(), 1, "during an outage, not every login fetches the secret");
}

#[tokio::test]
async fn without_the_secret_a_token_fails_the_login_and_the_cause_is_logged() {
    let (provider, stack, mut ana) = start(ACCEPTED).await;
    let denied = Failure::Answer(400, r#"{"__type":"AccessDeniedException","message":"arn:aws:x"}"#.to_owned());
    for (failure, cause) in [
        (denied, "AccessDeniedException"),
        (secret(" "), "no secret string"),
        (Failure::Answer(200, "{}".to_owned()), "no secret string"),
        (Failure::DropBefore, "unreachable"),
    ] {
        stack.secrets.fail_always(failure);
        let answer = login(&mut ana, "token").await;
        assert_eq!(answer.sentence(), (500, "Error interno del servidor".to_owned()));
        let log = stack.log();
        let line = log.last().unwrap();
        let fault = format!(r#""fault.operation":"captcha.GetSecretValue","fault.cause":"{cause}""#);
        assert!(line.contains(&fault) && !line.contains("arn:"), "{line}");
    }
    assert!(provider.requests().is_empty());
    stack.secrets.heal();
    assert_eq!(login(&mut ana, "token").await.success(), true);
}
