//! The guards that every endpoint checks first, and the headers of every answer.

use journeys::sentences::{INVALID_PARAMETERS, METHOD_NOT_ALLOWED, assert_says, owned_sentence};
use journeys::{Answer, ENDPOINTS, Endpoint, Service, Visitor, paths};
use reqwest::header::CONTENT_TYPE;

const HEADER: &str = "X-Requested-With";
const HEADER_VALUE: &str = "XMLHttpRequest";
const OTHER_METHODS: [&str; 5] = ["GET", "PUT", "PATCH", "DELETE", "HEAD"];
/// A multipart form that cannot be read.
const BROKEN: (&str, &str) = ("multipart/form-data", "--x");

fn broken(request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
    request.header(CONTENT_TYPE, BROKEN.0).body(BROKEN.1)
}

/// Asserts that an answer has the headers that protect it in browsers and caches, and no CORS headers.
#[track_caller]
fn assert_guarded(answer: &Answer, row: &str) {
    assert_eq!(answer.header("content-type"), "application/json; charset=utf-8", "{row}");
    assert_eq!(answer.header("cache-control"), "no-store", "{row}");
    assert_eq!(answer.header("x-content-type-options"), "nosniff", "{row}");
    let open = answer.headers.keys().find(|name| name.as_str().starts_with("access-control-"));
    assert_eq!(open, None, "{row}");
}

#[tokio::test]
async fn a_method_other_than_post_is_refused() {
    let service = Service::shared();
    for &path in paths::ALL {
        for method in OTHER_METHODS {
            let without_header = service.send(broken(service.request(method, path))).await;
            assert_eq!(without_header.status, 405, "{method} {path}");
            let answer = service.send(service.request(method, path).header(HEADER, HEADER_VALUE)).await;
            assert_eq!(answer.header("allow"), "POST", "{method} {path}");
            if method == "HEAD" {
                assert_eq!((answer.status, answer.text.as_str()), (405, ""), "{path}");
            } else {
                assert_says(&answer, METHOD_NOT_ALLOWED, (method, path));
            }
        }
    }
}

#[tokio::test]
async fn a_preflight_of_an_unlisted_origin_is_refused_at_every_path() {
    let service = Service::shared();
    for &path in paths::ALL {
        let preflight = service.request("OPTIONS", path).header("Access-Control-Request-Method", "POST");
        let answer = service.send(preflight.header("Origin", "https://evil.example")).await;
        assert_says(&answer, METHOD_NOT_ALLOWED, path);
        assert_eq!(answer.header("allow"), "POST", "{path}");
        assert_guarded(&answer, path);
        assert!(answer.set_cookies().is_empty(), "{path} {answer:?}");
    }
}

#[tokio::test]
async fn a_call_without_the_header_is_refused() {
    let service = Service::shared();
    for &path in paths::ALL {
        for request in [service.request("POST", path), broken(service.request("POST", path))] {
            assert_says(&service.send(request).await, Endpoint::at(path).forbidden, path);
        }
    }
    let answer = service.send(service.request("POST", paths::LOGIN)).await;
    insta::assert_snapshot!(answer.whole(), @r#"
    403
    cache-control: no-store
    content-type: application/json; charset=utf-8
    x-content-type-options: nosniff
    {
      "success": false,
      "message": "Acceso prohibido"
    }
    "#);
}

#[tokio::test]
async fn any_other_value_of_the_header_is_refused() {
    let service = Service::shared();
    for &path in paths::ALL {
        for value in ["", "xmlhttprequest", "XMLHttpRequest x", "XMLHttpRequest, XMLHttpRequest", "\"XMLHttpRequest\""]
        {
            let answer = service.send(service.request("POST", path).header(HEADER, value)).await;
            assert_says(&answer, Endpoint::at(path).forbidden, (path, value));
        }
    }
}

#[tokio::test]
async fn a_header_given_twice_is_refused() {
    let service = Service::shared();
    for &path in paths::ALL {
        let request = service.request("POST", path).header(HEADER, HEADER_VALUE).header(HEADER, HEADER_VALUE);
        assert_says(&service.send(request).await, Endpoint::at(path).forbidden, path);
    }
}

#[tokio::test]
async fn a_missing_session_takes_precedence_over_a_broken_body() {
    let mut nobody = Service::shared().visitor();
    for endpoint in ENDPOINTS.iter().filter(|endpoint| endpoint.needs_session()) {
        let answer = nobody.send(broken(nobody.request(endpoint.path))).await;
        assert_says(&answer, endpoint.empty, endpoint.path);
    }
}

/// The answers to calls from pages of another origin: with a wrong method, without the header, and with it. Then to
/// calls with a broken body, without a body, and with a JSON body.
async fn answers_to_odd_calls(path: &str, somebody: &mut Visitor) -> Vec<Answer> {
    let service = somebody.service.clone();
    let origin = ("Origin", "https://evil.example");
    vec![
        service.send(service.request("GET", path).header(origin.0, origin.1)).await,
        service.send(service.request("POST", path).header(origin.0, origin.1)).await,
        service.send(somebody.request(path).header(origin.0, origin.1)).await,
        service.send(broken(somebody.request(path))).await,
        service.send(somebody.request(path)).await,
        service.send(somebody.request(path).json(&serde_json::json!({}))).await,
    ]
}

#[tokio::test]
async fn no_answer_may_be_stored_sniffed_or_read_by_another_origin() {
    let mut nobody = Service::shared().visitor();
    for &path in paths::ALL {
        for answer in answers_to_odd_calls(path, &mut nobody).await {
            assert_guarded(&answer, &format!("{path} {}", answer.text));
            assert!(answer.set_cookies().is_empty(), "{path} {answer:?}");
        }
    }
    let mut ana = nobody.service.visitor();
    assert_guarded(&ana.register().await, "register");
    assert_guarded(&ana.login(journeys::PASSWORD).await, "login");
    assert_guarded(&ana.session().await, "session");
    assert_guarded(&ana.form(paths::USER_CONFIG, &[("name", "Ana")]).await, "settings");
    assert_guarded(&ana.form(paths::DELETE_ACCOUNT, &[]).await, "deletion");
}

#[tokio::test]
async fn an_answer_that_does_not_change_the_session_sets_no_cookie() {
    let mut ana = Service::shared().visitor().signed_in().await;
    for name in ["Ana", ""] {
        let answer = ana.form(paths::USER_CONFIG, &[("name", name)]).await;
        assert!(answer.set_cookies().is_empty(), "{answer:?}");
    }
    for path in [paths::SESSION, paths::REGISTER, paths::LOGIN, paths::SEND_RESET_LINK, paths::RESET_PASSWORD] {
        let answer = ana.form(path, &[]).await;
        assert!(answer.set_cookies().is_empty(), "{path} {answer:?}");
    }
}

#[tokio::test]
async fn every_endpoint_answers_an_empty_call_without_a_session_as_its_row_says() {
    let service = Service::shared();
    for row in ENDPOINTS {
        let answer = service.send(service.visitor().request(row.path)).await;
        assert_eq!(answer.sentence(), owned_sentence(row.empty), "{}", row.path);
        assert_eq!(answer.set_cookies().len(), 0, "{}", row.path);
    }
}

#[tokio::test]
async fn every_endpoint_answers_a_body_that_it_cannot_read_as_its_row_says() {
    for row in ENDPOINTS {
        let mut ana = Service::shared().visitor().signed_in().await;
        let answer = ana.send(ana.request(row.path).header(CONTENT_TYPE, "text/plain").body("x")).await;
        assert_eq!(answer.sentence(), owned_sentence(row.broken), "{}", row.path);
        if row.broken == INVALID_PARAMETERS {
            assert_says(&ana.send(broken(ana.request(row.path))).await, row.broken, row.path);
        }
    }
}
