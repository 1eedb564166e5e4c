//! The authorizer of other APIs: which requests pass, with which context, and what the API behind it receives.

use std::time::Duration;

use axum::Json;
use axum::http::HeaderMap;
use axum::http::Method;
use journeys::{Embedded, Failure, Visitor, paths};
use serde_json::{Map, Value, json};

/// Asks the authorizer about a request.
async fn ask(stack: &Embedded, method: &str, cookies: &[&str], headers: &Value) -> Value {
    let event = json!({
        "version": "2.0", "type": "REQUEST", "routeKey": "ANY /api/movements", "cookies": cookies, "headers": headers,
        "requestContext": {"http": {"method": method}, "requestId": "r"},
    });
    told(stack, &event.to_string()).await
}

/// The authorizer's answer to an event.
async fn told(stack: &Embedded, event: &str) -> Value {
    let setup = stack.setup(&[("AWS_ENDPOINT_URL_DYNAMODB", &stack.table.url())]);
    let authorizer = local::start_function("Authorizer", &setup).unwrap();
    serde_json::from_str(&authorizer(event.to_owned()).await).unwrap()
}

/// Asks about a request that only reads, with the visitor's cookie.
pub(super) async fn reading(stack: &Embedded, visitor: &Visitor) -> Value {
    ask(stack, "GET", &[visitor.cookie.as_deref().unwrap()], &json!({})).await
}

pub(super) fn refusal() -> Value {
    json!({"isAuthorized": false})
}

#[tokio::test]
async fn a_request_with_a_live_session_passes_with_its_context_after_one_call() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let user = ana.session().await.user("id").to_string();
    let listed = ana.sessions().await.swap_remove(0);
    drop(stack.table.calls());
    let verdict = reading(&stack, &ana).await;
    assert_eq!(stack.table.calls(), ["BatchGetItem"]);
    let context = &verdict["context"];
    assert_eq!(verdict["isAuthorized"], true, "{verdict}");
    assert_eq!((&context["accountId"], &context["sessionId"]), (&json!(user), &listed["id"]));
    assert_eq!((&context["signedInAt"], &context["provedAt"]), (&listed["created_at"], &listed["created_at"]));
    assert_eq!(context["emailVerified"], "false");
    let others = context.as_object().unwrap().len();
    assert!(others == 5 && !verdict.to_string().contains(&ana.email), "{verdict}");

    ana.prove_address().await;
    assert_eq!(reading(&stack, &ana).await["context"]["emailVerified"], "true");
}

#[tokio::test]
async fn a_request_that_changes_something_also_needs_the_header() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    let cookie = ana.cookie.as_deref().unwrap();
    for method in ["GET", "HEAD", "OPTIONS"] {
        assert_eq!(ask(&stack, method, &[cookie], &json!({})).await["isAuthorized"], true, "{method}");
    }
    for method in ["POST", "PUT", "PATCH", "DELETE", "TRACE", "get", "G ET"] {
        for headers in [json!({}), json!({"x-requested-with": "xmlhttprequest"})] {
            assert_eq!(ask(&stack, method, &[cookie], &headers).await, refusal(), "{method} {headers}");
        }
    }
    let header = json!({"x-requested-with": "XMLHttpRequest"});
    assert_eq!(ask(&stack, "POST", &[cookie], &header).await["isAuthorized"], true);
}

#[tokio::test]
async fn a_request_without_a_live_session_is_refused() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    let cookie = ana.cookie.clone().unwrap();
    let (start, end) = cookie.split_at(cookie.len() - 9);
    let forged = format!("{start}{}{}", if end.starts_with('A') { 'B' } else { 'A' }, &end[1..]);
    for cookies in [&[][..], &["session="], &["session=x"], &[&forged], &[&cookie, &cookie], &["theme=dark"]] {
        assert_eq!(ask(&stack, "GET", cookies, &json!({})).await, refusal(), "{cookies:?}");
    }
    let mut other = ana.on_another_device().await;
    let ended = other.clone();
    assert_eq!(other.form(paths::LOGOUT, &[]).await.success(), true);
    assert_eq!(reading(&stack, &ended).await, refusal(), "after a logout");
    assert_eq!(reading(&stack, &ana).await["isAuthorized"], true, "the other session goes on");
    stack.advance(Duration::from_hours(3));
    assert_eq!(reading(&stack, &ana).await, refusal(), "after the idle timeout");
    let eva = stack.service.visitor().signed_in().await;
    assert_eq!(eva.clone().form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    assert_eq!(reading(&stack, &eva).await, refusal(), "after the deletion of the account");
}

#[tokio::test]
async fn an_event_that_cannot_be_read_is_refused() {
    let stack = Embedded::start(&[]).await;
    for event in ["", "{}", "[]", "null", r#"{"requestContext": {"http": {}}}"#, "\u{1}"] {
        assert_eq!(told(&stack, event).await, refusal(), "{event:?}");
    }
}

#[tokio::test]
async fn nobody_passes_while_the_table_fails() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    stack.advance(Duration::from_mins(11));
    for after in 0..2 {
        for failure in [Failure::Answer(400, "{}".to_owned()), Failure::Answer(500, "x".to_owned())] {
            stack.table.fail_from(after, failure);
            let verdict = reading(&stack, &ana).await;
            assert!(
                verdict.get("errorMessage").is_some() && verdict.get("isAuthorized").is_none(),
                "{after}: {verdict}"
            );
            stack.table.heal();
        }
    }
    assert!(stack.log().iter().any(|line| line.contains(r#""function":"authorizer""#) && line.contains("fault.cause")));
    assert_eq!(reading(&stack, &ana).await["isAuthorized"], true);
}

/// What the product's API receives.
async fn received(method: Method, headers: HeaderMap, body: String) -> Json<Value> {
    let own = headers.iter().filter(|(name, _)| name.as_str().starts_with("x-"));
    let own: Map<String, Value> = own.map(|(name, value)| (name.to_string(), value.to_str().unwrap().into())).collect();
    Json(json!({"method": method.as_str(), "headers": own, "body": body}))
}

#[tokio::test]
async fn the_products_api_gets_the_session_in_headers_that_no_client_can_set() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let product = axum::Router::new().route("/api/movements", axum::routing::any(received));
    tokio::spawn(async move { axum::serve(listener, product).await });
    let (stack, mut ana) = Embedded::signed_in(&[("API_BACKEND", &address)]).await;
    let user = ana.session().await.user("id").to_string();

    let request = ana.request("/api/movements").header("x-account-id", "999").header("x-session-id", "1").body("12,50");
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let got: Value = answer.json().await.unwrap();
    assert_eq!((&got["method"], &got["body"]), (&json!("POST"), &json!("12,50")), "{got}");
    assert_eq!(got["headers"]["x-account-id"], user, "{got}");
    assert_eq!(got["headers"]["x-session-id"], ana.sessions().await[0]["id"]);

    let status = async |request: reqwest::RequestBuilder| request.send().await.unwrap().status();
    let forged = || stack.service.visitor().request("/api/movements").header("x-account-id", "1");
    assert_eq!(status(forged()).await, 401, "API Gateway's answer without the identity source");
    assert_eq!(status(forged().header("cookie", "session=x")).await, 403);
    assert_eq!(ana.clone().form(paths::LOGOUT, &[]).await.success(), true);
    assert_eq!(status(ana.request("/api/movements")).await, 403, "after a logout");
}
