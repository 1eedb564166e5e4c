//! Front ends on other origins (CORS): a listed origin may call and read; any other is refused.

use journeys::sentences::assert_says;
use journeys::{Answer, Endpoint, PASSWORD, Service, Visitor, paths};
use reqwest::header::{CONTENT_TYPE, ORIGIN};

/// The header in which browsers say how the page's site relates to the service's.
const SITE: &str = "Sec-Fetch-Site";

/// The listed origin: the local stack's, or `LISTED_ORIGIN` for another deployment.
fn listed() -> String {
    std::env::var("LISTED_ORIGIN").unwrap_or_else(|_| "http://localhost:5173".to_owned())
}

/// Unlisted origins, some of which are similar to the listed one.
fn strangers() -> Vec<String> {
    let listed = listed();
    let (scheme, host) = listed.split_once("://").unwrap_or_default();
    let other_scheme = if scheme == "https" { "http" } else { "https" };
    vec![
        "https://evil.example".to_owned(),
        "null".to_owned(),
        "*".to_owned(),
        format!("{other_scheme}://{host}"),
        format!("{scheme}://www.{host}"),
        format!("{scheme}://{host}.evil.example"),
        format!("{listed}1"),
        format!("{listed}/"),
        listed.to_uppercase(),
        format!("{listed}, https://evil.example"),
    ]
}

fn preflight(service: &Service, path: &str, origin: &str) -> reqwest::RequestBuilder {
    let request =
        service.request("OPTIONS", path).header(ORIGIN, origin).header("Access-Control-Request-Method", "POST");
    request.header("Access-Control-Request-Headers", "content-type,idempotency-key,x-requested-with")
}

/// The CORS headers of an answer and its `vary`, each as `name: value`.
fn about_origins(answer: &Answer) -> Vec<String> {
    let headers = answer.headers.keys().map(|name| format!("{name}: {}", answer.header(name.as_str())));
    let mut found: Vec<String> =
        headers.filter(|line| line.starts_with("access-control-") || line.starts_with("vary: ")).collect();
    found.sort();
    found
}

fn assert_readable(answer: &Answer, what: &str) {
    let listed = format!("access-control-allow-origin: {}", listed());
    let expected = ["access-control-allow-credentials: true", &listed, "vary: origin"];
    assert_eq!(about_origins(answer), expected, "{what}: {}", answer.text);
}

#[tokio::test]
async fn a_preflight_of_a_listed_origin_lists_what_it_may_send() {
    let service = Service::shared();
    for &path in paths::ALL {
        let answer = service.send(preflight(&service, path, &listed())).await;
        assert_eq!((answer.status, answer.text.as_str()), (204, ""), "{path}");
        let origin = format!("access-control-allow-origin: {}", listed());
        let expected = [
            "access-control-allow-credentials: true",
            "access-control-allow-headers: content-type,x-requested-with,idempotency-key",
            "access-control-allow-methods: POST",
            &origin,
            "access-control-max-age: 7200",
            "vary: origin",
        ];
        assert_eq!(about_origins(&answer), expected, "{path}");
    }
}

/// A visitor's request from a page of the listed origin.
fn from_listed(visitor: &Visitor, path: &str) -> reqwest::RequestBuilder {
    visitor.request(path).header(ORIGIN, listed())
}

#[tokio::test]
async fn a_listed_origin_may_read_every_answer() {
    let mut ana = Service::shared().visitor().registered().await;
    let login = from_listed(&ana, paths::LOGIN).form(&[("email", ana.email.as_str()), ("password", PASSWORD)]);
    let login = ana.send(login).await;
    assert_eq!(login.success(), true);
    assert_readable(&login, "a login");
    for &path in paths::ALL {
        let service = ana.service.clone();
        let nobody = service.visitor();
        for (what, request) in [
            ("a call without a body", from_listed(&nobody, path)),
            ("a wrong method", service.request("GET", path).header(ORIGIN, listed())),
            ("a missing header", service.request("POST", path).header(ORIGIN, listed())),
            ("a broken body", from_listed(&nobody, path).header(CONTENT_TYPE, "multipart/form-data").body("x")),
        ] {
            assert_readable(&service.send(request).await, &format!("{what} to {path}"));
        }
    }
    let session = ana.send(from_listed(&ana, paths::SESSION)).await;
    assert_eq!(session.status, 200);
    assert_readable(&session, "a session");
}

#[tokio::test]
async fn a_page_of_an_origin_that_is_not_listed_is_refused_everywhere() {
    let service = Service::shared();
    for origin in strangers() {
        for &path in paths::ALL {
            let answer = service.send(service.visitor().request(path).header(ORIGIN, &origin)).await;
            assert_says(&answer, Endpoint::at(path).forbidden, (path, &origin));
            assert!(about_origins(&answer).is_empty(), "{origin}: {answer:?}");
        }
    }
}

#[tokio::test]
async fn a_request_that_the_browser_calls_cross_site_needs_a_listed_origin() {
    let service = Service::shared();
    let asked = |site: &str, origin: Option<String>| {
        let request = service.visitor().request(paths::SESSION).header(SITE, site);
        service.send(origin.into_iter().fold(request, |request, origin| request.header(ORIGIN, origin)))
    };
    assert_eq!(asked("cross-site", None).await.status, 403);
    assert_eq!(asked("cross-site", Some("null".to_owned())).await.status, 403);
    assert_eq!(asked("cross-site", Some(listed())).await.status, 401, "there is only no session");
    for site in ["same-origin", "same-site", "none"] {
        assert_eq!(asked(site, None).await.status, 401, "{site}");
    }
    assert_eq!(asked("same-origin", Some("null".to_owned())).await.status, 401, "a browser that hides the page");
}

#[tokio::test]
async fn a_preflight_of_an_origin_that_is_not_listed_is_refused_like_any_other_method() {
    let service = Service::shared();
    for origin in strangers() {
        let answer = service.send(preflight(&service, paths::LOGIN, &origin)).await;
        assert_eq!(answer.sentence(), (405, "Método no permitido".to_owned()), "{origin}");
        assert!(about_origins(&answer).is_empty(), "{origin}: {answer:?}");
    }
}

#[tokio::test]
async fn two_origin_headers_match_no_listed_origin() {
    let service = Service::shared();
    let request = service.visitor().request(paths::SESSION).header(ORIGIN, listed());
    let answer = service.send(request.header(ORIGIN, "https://evil.example")).await;
    assert_eq!(answer.status, 403);
    assert!(about_origins(&answer).is_empty(), "{answer:?}");
}
