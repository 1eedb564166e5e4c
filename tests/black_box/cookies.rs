//! The session cookie in requests of hostile and broken clients.

use std::collections::HashSet;

use journeys::sentences::{LOGGED_OUT, NO_SESSION, NO_SESSION_EMAIL, assert_says};
use journeys::{PASSWORD, Service, Visitor, paths};
use reqwest::header::{COOKIE, HeaderValue};

/// Longer than any token, and shorter than the gateways' limit for headers.
const LONG: usize = 8_000;
/// Characters of 256 bits in base64.
const SECRET_LENGTH: usize = 43;

/// A call of the endpoint with only these cookie headers.
fn presenting(visitor: &Visitor, path: &str, lines: &[Vec<u8>]) -> reqwest::RequestBuilder {
    let values = lines.iter().filter_map(|line| HeaderValue::from_bytes(line).ok());
    values.fold(visitor.elsewhere().request(path), |request, value| request.header(COOKIE, value))
}

/// Cookies that are similar to a live session's, and are not valid. The property of `cookie` has all others.
fn look_alikes(name: &str, token: &str) -> Vec<String> {
    let other_name = if name == "session" { "__Host-session" } else { "session" };
    vec![
        format!("{name}={token}; {name}={token}"),
        format!("{name}=x; {name}={token}"),
        format!("{}={token}", name.to_uppercase()),
        format!("__host-session={token}"),
        format!("{other_name}={token}"),
        format!("\u{2000}{name}={token}"),
        format!("{name}=\"{token}\""),
        format!("$Version=1; ${name}={token}"),
        format!("{name}={token}A"),
        format!("{name}={}", token.replacen('.', "%2E", 1)),
        format!("{name}={token}{}", "A".repeat(LONG)),
        "; ".repeat(LONG / 2),
        format!("{name}[]={token}"),
        format!("{name}=."),
        format!("={token}"),
        String::new(),
    ]
}

async fn signed_in() -> (Visitor, String, String) {
    let ana = Service::shared().visitor().signed_in().await;
    let cookie = ana.cookie.clone().unwrap_or_default();
    let (name, token) = cookie.split_once('=').unwrap_or_default();
    let (name, token) = (name.to_owned(), token.to_owned());
    (ana, name, token)
}

#[tokio::test]
async fn a_service_behind_tls_binds_the_cookie_to_its_host() {
    let mut ana = Service::shared().visitor().registered().await;
    let over_tls = ana.service.expects_tls();
    let login = ana.login(PASSWORD).await;
    let (name, attributes) = if over_tls { ("__Host-session", "; Secure") } else { ("session", "") };
    let [line] = &login.set_cookies()[..] else { panic!("one cookie: {login:?}") };
    assert!(line.starts_with(&format!("{name}=")), "{line}");
    assert!(line.contains(&format!("; HttpOnly; SameSite=Lax{attributes}; Path=/; Max-Age=")), "{line}");
    assert!(!line.contains("Domain"), "{line}");
}

#[tokio::test]
async fn the_cookie_is_opaque_and_has_256_new_random_bits() {
    let mut ana = Service::shared().visitor().registered().await;
    let mut secrets = HashSet::new();
    for _ in 0..8 {
        let login = ana.elsewhere().login(PASSWORD).await;
        let (local, _) = ana.email.split_once('@').unwrap();
        let cookie = login.opened().unwrap();
        assert!(!cookie.contains(local), "{cookie}");
        let (_, secret) = cookie.rsplit_once('.').unwrap();
        assert!(secret.len() >= SECRET_LENGTH, "{cookie}");
        assert!(secrets.insert(secret.to_owned()), "{cookie}");
    }
    assert_says(&ana.session().await, NO_SESSION, "only other devices have logged in");
}

#[tokio::test]
async fn a_similar_cookie_is_no_session() {
    let (mut ana, name, token) = signed_in().await;
    for line in look_alikes(&name, &token) {
        let lines = [line.clone().into_bytes()];
        let answer = ana.service.send(presenting(&ana, paths::SESSION, &lines)).await;
        assert_says(&answer, NO_SESSION, &line);
        let answer = ana.service.send(presenting(&ana, paths::DELETE_ACCOUNT, &lines)).await;
        assert_says(&answer, NO_SESSION_EMAIL, &line);
        assert_says(&ana.service.send(presenting(&ana, paths::LOGOUT, &lines)).await, LOGGED_OUT, &line);
    }
    assert_eq!(ana.session().await.status, 200, "none of them has touched the session");
}

#[tokio::test]
async fn a_cookie_in_two_headers_is_no_session() {
    let (ana, name, token) = signed_in().await;
    let line = format!("{name}={token}").into_bytes();
    let answer = ana.service.send(presenting(&ana, paths::SESSION, &[line.clone(), line])).await;
    assert_says(&answer, NO_SESSION, name);
}

#[tokio::test]
async fn a_cookie_that_is_not_text_is_no_session() {
    let (ana, name, token) = signed_in().await;
    let (name, token) = (name.as_bytes(), token.as_bytes());
    for line in [
        [name, b"=", token, b"\x80"].concat(),
        [name, b"=", token, b"\xff\xfe"].concat(),
        [b"\xff", name, b"=", token].concat(),
    ] {
        let shown = String::from_utf8_lossy(&line).into_owned();
        let answer = ana.service.send(presenting(&ana, paths::SESSION, &[line])).await;
        assert_says(&answer, NO_SESSION, shown);
    }
}

#[tokio::test]
async fn a_cookie_put_together_from_two_accounts_is_no_session() {
    let (ana, name, of_ana) = signed_in().await;
    let (_, _, of_eva) = signed_in().await;
    for (head, tail) in [(&of_ana, &of_eva), (&of_eva, &of_ana)] {
        let (key, _) = head.split_once('.').unwrap();
        let (_, secret) = tail.split_once('.').unwrap();
        let mut mixed = Visitor { cookie: Some(format!("{name}={key}.{secret}")), ..ana.clone() };
        assert_says(&mixed.session().await, NO_SESSION, "session");
        assert_says(&mixed.form(paths::DELETE_ACCOUNT, &[]).await, NO_SESSION_EMAIL, "deletion");
    }
}
