//! Redirect mode: the provider's page posts a form, and the browser is redirected to the front end.

use journeys::{Answer, Embedded, Failure, Service, Visitor, paths};
use reqwest::header::COOKIE;
use serde_json::json;

const SECRET: &str = "4f1c9a60e2";
const COOKIE_LINE: &str = "g_csrf_token=4f1c9a60e2";
const FRONT_END: &str = "https://app.example/cuenta";

async fn stack() -> Embedded {
    Embedded::start(&[("FRONT_END_URL", FRONT_END)]).await
}

/// A POST from the provider's page: these cookies and fields, without the required header.
async fn page(visitor: &mut Visitor, cookies: &str, fields: &[(&str, &str)]) -> Answer {
    let request = visitor.service.request("POST", paths::GOOGLE_REDIRECT).header(COOKIE, cookies).form(fields);
    visitor.send(request).await
}

/// A POST from the provider's page with a credential and the double submit.
async fn sign_in(visitor: &mut Visitor, credential: &str) -> Answer {
    page(visitor, COOKIE_LINE, &[("credential", credential), ("g_csrf_token", SECRET)]).await
}

fn forbidden(answer: &Answer, why: &str) {
    assert_eq!(answer.sentence(), (403, "Acceso prohibido".to_owned()), "{why}");
    assert_eq!(answer.success(), false, "{why}");
    assert!(answer.set_cookies().is_empty() && answer.header("location").is_empty(), "{why}");
}

#[tokio::test]
async fn the_providers_page_is_redirected_to_the_front_end_with_a_session() {
    let stack = stack().await;
    let mut ana = stack.service.visitor();
    let credential = ana.credential(json!({})).await;
    let answer = sign_in(&mut ana, &credential).await;
    insta::assert_snapshot!(answer.whole(), @r"
    303
    cache-control: no-store
    content-type: application/json; charset=utf-8
    location: [front end]/
    x-content-type-options: nosniff
    set-cookie: session=[token]; HttpOnly; SameSite=Lax; Path=/; Max-Age=604800
    {}
    ");
    assert_eq!(answer.header("location"), "https://app.example/cuenta/");
    let session = ana.session().await;
    assert_eq!((session.status, session.user("email")), (200, json!(ana.email)));
    let again = ana.elsewhere().google(json!({})).await;
    assert_eq!((&again.json()["status"], again.user("id")), (&json!("exists"), session.user("id")));
}

#[tokio::test]
async fn a_refused_credential_redirects_to_the_login_page_without_a_session() {
    let stack = stack().await;
    let mut ana = stack.service.visitor();
    let expired = ana.credential(json!({"exp": 1})).await;
    let foreign = ana.credential(json!({"aud": "another-client"})).await;
    for credential in [expired.as_str(), &foreign, "a.b.c", "x", "\r\nLocation: https://evil.example"] {
        let answer = sign_in(&mut ana, credential).await;
        let target = "https://app.example/cuenta/login?error=google";
        assert_eq!((answer.status, answer.header("location").as_str()), (303, target), "{credential}");
        assert!(answer.set_cookies().is_empty(), "{credential}");
    }
}

#[tokio::test]
async fn without_the_double_submit_every_call_is_refused() {
    let mut ana = Service::shared().visitor();
    let credential = ana.credential(json!({})).await;
    let credential = ("credential", credential.as_str());
    let field = |value| ("g_csrf_token", value);
    let quoted = format!("g_csrf_token=\"{SECRET}\"");
    let two = format!("{COOKIE_LINE}; g_csrf_token=other");
    let capital = format!("G_CSRF_TOKEN={SECRET}");
    for (why, cookies, fields) in [
        ("no cookie", "a=1", vec![credential, field(SECRET)]),
        ("no field", COOKIE_LINE, vec![credential]),
        ("unequal", COOKIE_LINE, vec![credential, field("4f1c9a60e3")]),
        ("other letters", COOKIE_LINE, vec![credential, field("4F1C9A60E2")]),
        ("both empty", "g_csrf_token=", vec![credential, field("")]),
        ("two cookies", &two, vec![credential, field(SECRET)]),
        ("two fields", COOKIE_LINE, vec![credential, field(SECRET), field("other")]),
        ("an array", COOKIE_LINE, vec![credential, ("g_csrf_token[]", SECRET)]),
        ("a quoted cookie", &quoted, vec![credential, field(SECRET)]),
        ("a cookie in capitals", &capital, vec![credential, field(SECRET)]),
    ] {
        forbidden(&page(&mut ana, cookies, &fields).await, why);
    }
    assert_eq!(ana.session().await.status, 401);
    assert_eq!(ana.google(json!({})).await.json()["status"], "inserted", "a refused post made an account");
}

#[tokio::test]
async fn a_person_whose_post_fails_is_redirected_to_the_login_page_and_a_script_is_not() {
    let stack = stack().await;
    let mut ana = stack.service.visitor();
    let service = ana.service.clone();
    let credential = ana.credential(json!({})).await;
    let post = |cookies: &str, headers: &[(&'static str, &'static str)], fields: &[(&str, &str)]| {
        let request = service.request("POST", paths::GOOGLE_REDIRECT).header(COOKIE, cookies).form(fields);
        headers.iter().fold(request, |request, (name, value)| request.header(*name, *value))
    };
    let form = [("credential", credential.as_str()), ("g_csrf_token", SECRET)];
    let (navigation, old) = (("sec-fetch-mode", "navigate"), ("accept", "text/html,application/xhtml+xml,*/*;q=0.8"));
    for (why, cookies, fields) in [
        ("an expired cookie", "a=1", &form[..]),
        ("another tab", "g_csrf_token=other", &form),
        ("no credential", COOKIE_LINE, &form[1..]),
    ] {
        for headers in [&[navigation, old][..], &[old]] {
            let answer = ana.send(post(cookies, headers, fields)).await;
            let target = "https://app.example/cuenta/login?error=google";
            assert_eq!((answer.status, answer.header("location").as_str()), (303, target), "{why} {headers:?}");
            assert!(answer.set_cookies().is_empty() && !answer.text.contains("Acceso"), "{why}");
        }
        for headers in [&[][..], &[("sec-fetch-mode", "cors"), old], &[("accept", "*/*")]] {
            let answer = ana.send(post(cookies, headers, fields)).await;
            assert!([400, 403].contains(&answer.status) && answer.header("location").is_empty(), "{why} {headers:?}");
        }
    }
    stack.table.fail_from(1, Failure::Answer(400, r#"{"__type":"AccessDeniedException"}"#.to_owned()));
    let answer = ana.send(post(COOKIE_LINE, &[navigation], &form)).await;
    assert_eq!(answer.status, 303, "a fault");
    assert!(stack.log().last().unwrap().contains(r#""level":"ERROR""#), "{:?}", stack.log());
}

#[tokio::test]
async fn the_csrf_secret_is_accepted_only_as_a_form_field() {
    let mut ana = Service::shared().visitor();
    let credential = ana.credential(json!({})).await;
    let document = json!({"credential": credential, "g_csrf_token": SECRET}).to_string();
    let post = |path: &str| ana.service.request("POST", path).header(COOKIE, COOKIE_LINE);
    let form = |path: &str| post(path).form(&[("credential", &credential)]);
    let with_query = format!("{}?g_csrf_token={SECRET}", paths::GOOGLE_REDIRECT);
    let body = |kind: &str| post(paths::GOOGLE_REDIRECT).header("content-type", kind).body(document.clone());
    let wrong_header = form(paths::GOOGLE_REDIRECT).header("X-Requested-With", "xmlhttprequest");
    for (why, request) in [
        ("JSON", body("application/json")),
        ("text", body("text/plain")),
        ("query", form(&with_query)),
        ("header", form(paths::GOOGLE_REDIRECT).header("g_csrf_token", SECRET)),
        ("a wrong value of the required header", wrong_header),
    ] {
        forbidden(&ana.send(request).await, why);
    }
}

#[tokio::test]
async fn no_request_can_change_the_redirect_target() {
    let stack = stack().await;
    let ana = stack.service.visitor();
    let (good, bad) = (ana.credential(json!({})).await, "a.b.c".to_owned());
    for (credential, target) in [(good, "/"), (bad, "/login?error=google")] {
        let evil = "https://evil.example/\r\nSet-Cookie: session=x";
        let names = ["state", "next", "redirect", "redirect_uri", "return_to", "continue", "url", "select_by", "error"];
        let mut fields = names.map(|name| (name, evil)).to_vec();
        fields.extend([("credential", credential.as_str()), ("g_csrf_token", SECRET)]);
        let query = "?next=https://evil.example&redirect_uri=//evil.example&error=x";
        let request = ana.service.request("POST", &format!("{}{query}", paths::GOOGLE_REDIRECT));
        let request = request.header(COOKIE, format!("{COOKIE_LINE}; next=https://evil.example"));
        let request = ["Host", "Origin", "Referer", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded"]
            .iter()
            .fold(request, |request, name| request.header(*name, "evil.example"));
        let answer = ana.service.send(request.form(&fields)).await;
        assert_eq!((answer.status, answer.header("location")), (303, format!("{FRONT_END}{target}")));
        assert!(!answer.text.contains("evil") && !format!("{:?}", answer.headers).contains("evil"), "{answer:?}");
    }
}

#[tokio::test]
async fn a_post_without_a_credential_is_refused() {
    let mut ana = Service::shared().visitor();
    let mut answers = vec![(ana.form(paths::GOOGLE_REDIRECT, &[]).await, "a script's empty form".to_owned())];
    for fields in
        [&[][..], &[("credential", "")], &[("credential[]", "x")], &[("credential", "a"), ("credential", "b")]]
    {
        let fields = [fields, &[("g_csrf_token", SECRET)]].concat();
        answers.push((page(&mut ana, COOKIE_LINE, &fields).await, format!("{fields:?}")));
    }
    for body in [json!({}), json!({"credential": 1}), json!("text"), json!([ana.credential(json!({})).await])] {
        answers.push((ana.json(paths::GOOGLE_REDIRECT, body.to_string()).await, body.to_string()));
    }
    for (answer, body) in answers {
        assert_eq!(answer.sentence(), (400, "Parámetros inválidos".to_owned()), "{body}");
        assert!(answer.set_cookies().is_empty(), "{body}");
    }
}

#[tokio::test]
async fn a_script_gets_the_same_answer_as_from_google_login() {
    let service = Service::shared();
    for kind in ["json", "form", "multipart"] {
        let mut ana = service.visitor();
        let (request, credential) = (ana.request(paths::GOOGLE_REDIRECT), ana.credential(json!({})).await);
        let request = match kind {
            "json" => request.json(&json!({"credential": credential})),
            "form" => request.form(&[("credential", &credential)]),
            _ => request.multipart(reqwest::multipart::Form::new().text("credential", credential)),
        };
        let here = ana.send(request).await;
        assert_eq!(ana.session().await.status, 200, "{kind}");
        let there = service.visitor().google(json!({})).await;
        assert_eq!(here.whole(), there.whole(), "{kind}");
        assert_eq!(here.user("email"), ana.email, "{kind}");
    }
}

#[tokio::test]
async fn the_presented_session_ends() {
    let mut ana = Service::shared().visitor();
    ana.google(json!({})).await;
    let (before, mut phone) = (ana.clone(), ana.elsewhere());
    phone.google(json!({})).await;
    let credential = ana.credential(json!({})).await;
    let cookies = format!("{COOKIE_LINE}; {}", ana.cookie.clone().unwrap());
    page(&mut ana, &cookies, &[("credential", &credential), ("g_csrf_token", SECRET)]).await;
    assert_ne!(ana.cookie, before.cookie);
    assert_eq!(before.clone().session().await.status, 401);
    assert_eq!(ana.session().await.status, 200);
    assert_eq!(phone.session().await.status, 200, "a session of another device ended");
}
