//! How the calls to other services grow with what a request does, besides the table of costs in `calls.txt`. A request
//! that the guards refuse makes none.

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::{Embedded, Visitor, paths, rows};
use serde_json::json;

/// Visitors who cannot log in with the password `Otra1234`: one without an account, one with another password, one with
/// only an identity, and one whose account was deleted.
pub(crate) async fn visitors_whose_logins_fail(stack: &Embedded) -> [Visitor; 4] {
    let wrong = stack.service.visitor().registered().await;
    let mut identity_only = stack.service.visitor();
    identity_only.google(json!({})).await;
    let mut deleted = stack.service.visitor().signed_in().await;
    deleted.form(paths::DELETE_ACCOUNT, &[]).await;
    [stack.service.visitor(), wrong, identity_only, deleted]
}

async fn signed_in(stack: &Embedded) -> Visitor {
    let visitor = stack.service.visitor().signed_in().await;
    drop(stack.table.calls());
    visitor
}

#[tokio::test]
async fn a_registration_costs_one_call_and_one_more_for_each_fifty_ids() {
    let stack = Embedded::start(&[]).await;
    for number in 0..=50 {
        assert_eq!(stack.service.visitor().register().await.success(), true);
        let both: &[_] = &["TransactWriteItems", "UpdateItem"];
        let expected = if number % 50 == 0 { both } else { &both[..1] };
        assert_eq!(stack.table.sorted_calls(), expected, "{number}");
    }
}

#[tokio::test]
async fn a_logout_without_a_session_and_a_used_challenge_of_a_passkey_cost_less() {
    let stack = Embedded::start(&[]).await;
    let mut authenticator = signed_in(&stack).await.with_passkey().await;
    let mut phone = stack.service.visitor();
    let answer = authenticator.get(&phone.passkey_login_options().await);
    let answer = authenticator.sign(&answer);
    assert_eq!(phone.answer_passkey(&answer).await.success(), true);
    assert_eq!(phone.form(paths::LOGOUT, &[]).await.success(), true);
    stack.table.sorted_calls();
    assert_eq!(phone.form(paths::LOGOUT, &[]).await.success(), true);
    assert_eq!(stack.table.sorted_calls(), [""; 0]);
    assert_eq!(phone.answer_passkey(&answer).await.status, 401);
    assert_eq!(stack.table.sorted_calls(), ["BatchGetItem"]);
}

#[tokio::test]
async fn a_deletion_costs_three_calls_and_one_more_for_each_hundred_further_items() {
    let stack = Embedded::start(&[]).await;
    for (copies, transactions) in [(0, 1), (98, 1), (99, 2), (250, 3)] {
        let mut ana = signed_in(&stack).await;
        rows::copy_session(&stack, &ana.email, copies).await;
        assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
        let expected = [vec!["BatchGetItem", "Query"], vec!["TransactWriteItems"; transactions]].concat();
        assert_eq!(stack.table.sorted_calls(), expected, "{copies}");
        assert!(rows::sessions(&stack, &ana.email).await.is_empty());
    }
}

/// Sends this number of entries, with these additional characters in each.
async fn send(stack: &Embedded, visitor: &Visitor, entries: usize, has_key: bool, longer: usize) -> Vec<String> {
    let body = json!(vec![json!({"a": "x".repeat(longer)}); entries]).to_string();
    let mut request = visitor.request(paths::RECEIVE_DATA).header("content-type", "application/json").body(body);
    if has_key {
        request = request.header("idempotency-key", entries.to_string());
    }
    assert_eq!(stack.service.send(request).await.success(), true);
    stack.table.sorted_calls()
}

#[tokio::test]
async fn entries_cost_one_call_for_each_twenty_five_and_with_a_key_one_for_the_first_alone() {
    let stack = Embedded::start(&[]).await;
    let ana = stack.service.visitor();
    for (entries, batches) in [(0, 0), (1, 1), (25, 1), (26, 2), (101, 5)] {
        assert_eq!(send(&stack, &ana, entries, false, 0).await, vec!["BatchWriteItem"; batches], "{entries}");
    }
    for (entries, batches) in [(1, 0), (2, 1), (26, 1), (27, 2), (101, 4)] {
        let expected = [vec!["BatchWriteItem"; batches], vec!["PutItem"]].concat();
        for _ in 0..2 {
            assert_eq!(send(&stack, &ana, entries, true, 0).await, expected, "{entries}");
        }
    }
}

#[tokio::test]
async fn entries_of_an_account_cost_a_read_and_one_call_for_each_ninety_nine_or_almost_four_megabytes() {
    let stack = Embedded::start(&[]).await;
    let ana = signed_in(&stack).await;
    let small = [(0, 0), (1, 1), (99, 1), (100, 2), (199, 3)].map(|(entries, calls)| (entries, calls, 0));
    for (entries, transactions, longer) in small.into_iter().chain([(9, 1, 399_000), (10, 2, 399_000)]) {
        let expected = [vec!["BatchGetItem"], vec!["TransactWriteItems"; transactions]].concat();
        assert_eq!(send(&stack, &ana, entries, false, longer).await, expected, "{entries}");
    }
}

#[tokio::test]
async fn a_request_that_the_guards_refuse_makes_no_calls() {
    let stack = Embedded::start(&[]).await;
    let mut ana = signed_in(&stack).await;
    let cookie = ana.cookie.clone().unwrap();
    for &path in paths::ALL {
        let headed = |method: &str| stack.service.request(method, path).header("X-Requested-With", "XMLHttpRequest");
        let bare = || stack.service.request("POST", path).header("cookie", &cookie);
        for method in ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "post"] {
            let answer = stack.service.send(headed(method).header("cookie", &cookie)).await;
            assert_eq!((answer.status, answer.header("allow")), (405, "POST".to_owned()), "{method} {path}");
        }
        let headers = ["", "xmlhttprequest", "XMLHttpRequest,XMLHttpRequest"];
        let headers = headers.map(|value| bare().header("X-Requested-With", value));
        let twice = bare().header("X-Requested-With", "XMLHttpRequest").header("X-Requested-With", "");
        // This endpoint takes neither a session nor a body, so its guards let these requests through.
        let is_let_through = path == paths::PASSKEY_LOGIN_OPTIONS;
        let further = [
            headed("POST").header("cookie", "session=no.token"),
            headed("POST").header("cookie", format!("{cookie}; {cookie}")),
            headed("POST").header("content-type", "text/plain").body("x"),
        ];
        let further = further.into_iter().filter(|_| !is_let_through);
        for request in headers.into_iter().chain([bare(), twice]).chain(further) {
            stack.service.send(request).await;
            let others = [&stack.mail, &stack.keys, &stack.captcha].map(journeys::Proxy::calls).concat();
            assert!(stack.table.sorted_calls().is_empty() && others.is_empty(), "{path}");
        }
    }
    for (path, calls_of_the_guard) in [(paths::LOGIN, 0), (paths::REGISTER, 0), (paths::USER_CONFIG, 1)] {
        ana.send(ana.request(path).header("content-type", "text/plain").body("x")).await;
        assert_eq!(stack.table.sorted_calls().len(), calls_of_the_guard, "{path}");
    }
}

#[tokio::test]
async fn failed_logins_have_the_same_answer_and_cost_whatever_the_reason() {
    let stack = Embedded::start(&[]).await;
    let visitors = visitors_whose_logins_fail(&stack).await;
    let [.., identity_only, _] = &visitors;
    assert_eq!(rows::profile(&stack, &identity_only.email).await.unwrap().get("password"), None::<&AttributeValue>);
    stack.table.sorted_calls();
    let mut alike = None;
    for visitor in visitors {
        let answer = visitor.elsewhere().login("Otra1234").await;
        assert_eq!(answer.text, r#"{"success":false,"message":"Email o contraseña incorrectas"}"#);
        assert_eq!((answer.status, answer.set_cookies().len()), (200, 0));
        let mut headers = answer.headers;
        for of_the_request in ["apigw-requestid", "date"] {
            headers.remove(of_the_request);
        }
        assert_eq!(headers, *alike.get_or_insert_with(|| headers.clone()));
        assert_eq!(stack.table.sorted_calls(), ["Query"]);
    }
}
