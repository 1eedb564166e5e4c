//! The number of calls to other services that requests make. A request that the guards refuse makes none.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::join_all;
use journeys::authenticator::{Algorithm, Authenticator};
use journeys::{Embedded, FRONT_END, PASSWORD, Visitor, paths};
use serde_json::json;

use journeys::rows;

/// The calls to the table since the last time, sorted, because some are sent in parallel.
fn calls(stack: &Embedded) -> Vec<String> {
    let mut calls = stack.table.calls();
    calls.sort();
    calls
}

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
    assert_eq!(stack.service.visitor().register().await.success(), true);
    assert_eq!(calls(&stack), ["PutItem", "UpdateItem"]);
    assert_eq!(stack.service.visitor().register().await.success(), true);
    assert_eq!(calls(&stack), ["PutItem"]);
    let mut others: Vec<Visitor> = (0..48).map(|_| stack.service.visitor()).collect();
    join_all(others.iter_mut().map(Visitor::register)).await;
    assert_eq!(calls(&stack), ["PutItem"; 48]);
    stack.service.visitor().register().await;
    assert_eq!(calls(&stack), ["PutItem", "UpdateItem"]);
}

#[tokio::test]
async fn a_login_costs_two_calls() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor();
    ana.register().await;
    calls(&stack);
    assert_eq!(ana.login(PASSWORD).await.success(), true);
    assert_eq!(calls(&stack), ["PutItem", "Query"]);
    assert_eq!(ana.login(PASSWORD).await.success(), true);
    assert_eq!(calls(&stack), ["Query", "TransactWriteItems"]);
}

#[tokio::test]
async fn a_request_for_the_session_costs_one_call() {
    let stack = Embedded::start(&[]).await;
    let mut ana = signed_in(&stack).await;
    assert_eq!(ana.session().await.status, 200);
    assert_eq!(calls(&stack), ["BatchGetItem"]);
}

#[tokio::test]
async fn a_logout_costs_one_call_and_none_without_a_session() {
    let stack = Embedded::start(&[]).await;
    let mut ana = signed_in(&stack).await;
    assert_eq!(ana.form(paths::LOGOUT, &[]).await.success(), true);
    assert_eq!(calls(&stack), ["DeleteItem"]);
    assert_eq!(ana.form(paths::LOGOUT, &[]).await.success(), true);
    assert!(calls(&stack).is_empty());
}

#[tokio::test]
async fn settings_cost_two_calls_with_and_without_a_password() {
    let stack = Embedded::start(&[]).await;
    let mut ana = signed_in(&stack).await;
    assert_eq!(ana.form(paths::USER_CONFIG, &[("name", "Ana")]).await.success(), true);
    assert_eq!(calls(&stack), ["BatchGetItem", "UpdateItem"]);
    let fields = [("name", "Ana"), ("password", "Otra1234"), ("confirm_password", "Otra1234")];
    assert_eq!(ana.form(paths::USER_CONFIG, &fields).await.success(), true);
    assert_eq!(calls(&stack), ["BatchGetItem", "TransactWriteItems"]);
}

#[tokio::test]
async fn a_deletion_costs_three_calls_and_one_more_for_each_hundred_further_items() {
    let stack = Embedded::start(&[]).await;
    for (copies, transactions) in [(0, 1), (98, 1), (99, 2), (250, 3)] {
        let mut ana = signed_in(&stack).await;
        rows::copy_session(&stack, &ana.email, copies).await;
        assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
        let expected = [vec!["BatchGetItem", "Query"], vec!["TransactWriteItems"; transactions]].concat();
        assert_eq!(calls(&stack), expected, "{copies}");
        assert!(rows::sessions(&stack, &ana.email).await.is_empty());
    }
}

#[tokio::test]
async fn a_reset_link_costs_two_calls_and_a_mail_and_its_use_one_call() {
    let stack = Embedded::start(&[]).await;
    let mut ana = signed_in(&stack).await;
    let token = ana.reset_token().await;
    assert_eq!(calls(&stack), ["GetItem", "UpdateItem"]);
    assert_eq!(stack.mail.calls(), ["SendEmail"]);
    assert_eq!(ana.reset(&token, "Otra1234").await.success(), true);
    assert_eq!(calls(&stack), ["UpdateItem"]);
    assert!(stack.mail.calls().is_empty());
}

#[tokio::test]
async fn a_reset_link_for_nobody_costs_one_read_and_no_mail() {
    let stack = Embedded::start(&[]).await;
    let fields = [("email", "nadie@example.com")];
    let answer = stack.service.visitor().form(paths::SEND_RESET_LINK, &fields).await;
    assert_eq!(answer.sentence(), (200, "No existe una cuenta con ese email".to_owned()));
    assert_eq!(calls(&stack), ["GetItem"]);
    assert!(stack.mail.calls().is_empty());
}

#[tokio::test]
async fn a_known_identity_costs_two_calls_and_four_or_five_when_its_email_has_changed() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor();
    let claims = json!({"sub": "110", "email": ana.email});
    ana.google(claims.clone()).await;
    (ana.cookie, _) = (None, calls(&stack));
    assert_eq!(ana.google(claims).await.json()["status"], "exists");
    assert_eq!(calls(&stack), ["PutItem", "Query"]);
    ana.cookie = None;
    let moved = ana.google(json!({"sub": "110", "email": "otra@example.com"})).await;
    assert_eq!(moved.json()["user"]["email"], ana.email.as_str());
    assert_eq!(calls(&stack), ["PutItem", "Query", "Query", "TransactWriteItems"]);
    // The lease of ids is over. The function takes another one before it finds the identity.
    stack.advance(Duration::from_mins(1));
    ana.cookie = None;
    let moved = ana.google(json!({"sub": "110", "email": "otra@example.com"})).await;
    assert_eq!(moved.json()["user"]["email"], ana.email.as_str());
    assert_eq!(calls(&stack), ["PutItem", "Query", "Query", "TransactWriteItems", "UpdateItem"]);
}

#[tokio::test]
async fn a_google_link_costs_two_calls_and_no_mail() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor();
    ana.register().await;
    drop((calls(&stack), stack.mail.calls()));
    assert_eq!(ana.google(json!({})).await.json()["status"], "exists");
    assert_eq!(calls(&stack), ["Query", "TransactWriteItems"]);
    assert!(stack.mail.calls().is_empty());
}

#[tokio::test]
async fn a_new_passkey_costs_two_calls_and_its_options_one_or_two_besides_the_session_check() {
    let stack = Embedded::start(&[]).await;
    let mut ana = signed_in(&stack).await;
    // For an account with passkeys, the options also read their ids.
    for options in [&["BatchGetItem", "PutItem"][..], &["BatchGetItem", "PutItem", "Query"]] {
        let mut authenticator = Authenticator::new(Algorithm::Es256, FRONT_END);
        let answer = authenticator.create(&ana.passkey_options().await).json();
        assert_eq!(calls(&stack), options);
        assert_eq!(ana.register_passkey(&answer).await.success(), true);
        assert_eq!(calls(&stack), ["BatchGetItem", "GetItem", "TransactWriteItems"]);
    }
}

#[tokio::test]
async fn a_login_with_a_passkey_costs_one_call_for_its_options_and_three() {
    let stack = Embedded::start(&[]).await;
    let mut authenticator = signed_in(&stack).await.with_passkey().await;
    calls(&stack);
    let mut phone = stack.service.visitor();
    for _ in 0..2 {
        let answer = authenticator.get(&phone.passkey_login_options().await);
        assert_eq!(calls(&stack), ["PutItem"]);
        let answer = authenticator.sign(&answer);
        assert_eq!(phone.answer_passkey(&answer).await.success(), true);
        assert_eq!(calls(&stack), ["BatchGetItem", "Query", "TransactWriteItems"]);
        assert_eq!(phone.answer_passkey(&answer).await.status, 401);
        assert_eq!(calls(&stack), ["BatchGetItem"], "a challenge that was used");
    }
}

#[tokio::test]
async fn listing_and_removing_passkeys_cost_one_call_besides_the_session_check() {
    let stack = Embedded::start(&[]).await;
    let mut ana = signed_in(&stack).await;
    ana.with_passkey().await;
    calls(&stack);
    let id = ana.first_passkey().await;
    assert_eq!(calls(&stack), ["BatchGetItem", "Query"]);
    assert_eq!(ana.delete_passkey(&id).await.success(), true);
    assert_eq!(calls(&stack), ["BatchGetItem", "TransactWriteItems"]);
}

#[tokio::test]
async fn entries_cost_one_call_for_each_twenty_five() {
    let stack = Embedded::start(&[]).await;
    for (entries, batches) in [(0, 0), (1, 1), (25, 1), (26, 2), (101, 5)] {
        let body = json!(vec![json!({"a": 1}); entries]).to_string();
        let answer = stack.service.visitor().json(paths::RECEIVE_DATA, body).await;
        assert_eq!(answer.success(), true);
        assert_eq!(calls(&stack), vec!["BatchWriteItem"; batches], "{entries}");
    }
}

#[tokio::test]
async fn entries_with_a_key_cost_one_call_for_the_first_and_one_for_each_further_twenty_five() {
    let stack = Embedded::start(&[]).await;
    for (entries, batches) in [(1, 0), (2, 1), (26, 1), (27, 2), (101, 4)] {
        let body = json!(vec![json!({"a": 1}); entries]).to_string();
        for _ in 0..2 {
            let ana = stack.service.visitor();
            let request = ana.request(paths::RECEIVE_DATA).header("content-type", "application/json");
            let request = request.header("idempotency-key", entries.to_string()).body(body.clone());
            assert_eq!(stack.service.send(request).await.success(), true);
            let expected = [vec!["BatchWriteItem"; batches], vec!["PutItem"]].concat();
            assert_eq!(calls(&stack), expected, "{entries}");
        }
    }
}

#[tokio::test]
async fn entries_of_an_account_cost_a_read_and_one_call_for_each_ninety_nine() {
    let stack = Embedded::start(&[]).await;
    let ana = signed_in(&stack).await;
    for (entries, transactions) in [(0, 0), (1, 1), (99, 1), (100, 2), (199, 3)] {
        let body = json!(vec![json!({"a": 1}); entries]).to_string();
        let answer = ana.clone().json(paths::RECEIVE_DATA, body.clone()).await;
        assert_eq!(answer.success(), true);
        let expected = [vec!["BatchGetItem"], vec!["TransactWriteItems"; transactions]].concat();
        assert_eq!(calls(&stack), expected, "{entries}");
    }
    // 3.9 MB fit into one transaction.
    for (entries, transactions) in [(9, 1), (10, 2)] {
        let body = json!(vec![json!({"a": "x".repeat(399_000)}); entries]).to_string();
        assert_eq!(ana.clone().json(paths::RECEIVE_DATA, body).await.success(), true);
        assert_eq!(calls(&stack).len(), 1 + transactions, "{entries}");
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
        let methods = ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "post"];
        let methods = methods.map(|method| headed(method).header("cookie", &cookie));
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
        for request in methods.into_iter().chain(headers).chain([bare(), twice]).chain(further) {
            stack.service.send(request).await;
            let others = [&stack.mail, &stack.keys, &stack.captcha].map(journeys::Proxy::calls).concat();
            assert!(calls(&stack).is_empty() && others.is_empty(), "{path}");
        }
    }
    for (path, calls_of_the_guard) in [(paths::LOGIN, 0), (paths::REGISTER, 0), (paths::USER_CONFIG, 1)] {
        ana.send(ana.request(path).header("content-type", "text/plain").body("x")).await;
        assert_eq!(calls(&stack).len(), calls_of_the_guard, "{path}");
    }
}

#[tokio::test]
async fn failed_logins_have_the_same_answer_and_cost_whatever_the_reason() {
    let stack = Embedded::start(&[]).await;
    let visitors = visitors_whose_logins_fail(&stack).await;
    let [.., identity_only, _] = &visitors;
    assert_eq!(rows::profile(&stack, &identity_only.email).await.unwrap().get("password"), None::<&AttributeValue>);
    calls(&stack);
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
        assert_eq!(calls(&stack), ["Query"]);
    }
}
