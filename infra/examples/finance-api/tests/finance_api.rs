//! The API behind the account service: a session opens it, and a deleted account leaves nothing in it. The binaries run as on
//! Lambda, behind the local stack.

#![cfg(test)]

use std::collections::HashMap;
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::types::{AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType::S};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use journeys::{Embedded, PASSWORD, Visitor, paths};
use serde_json::{Value, json};
use stand_ins::runtime_api::{RuntimeApi, environment};
use tokio::net::TcpListener;
use tokio::sync::Mutex;

const BINARIES: [(&str, &str); 2] =
    [("movements", env!("CARGO_BIN_EXE_movements")), ("erasure", env!("CARGO_BIN_EXE_erasure"))];
const API: &str = "/api/movements";

/// The functions, each behind a Runtime API, and in front of them Lambda's API `Invoke`.
struct Lambda {
    functions: HashMap<&'static str, Mutex<RuntimeApi>>,
}

async fn invoke(State(lambda): State<Arc<Lambda>>, Path(name): Path<String>, event: Bytes) -> Response {
    let mut function = lambda.functions[&*name].lock().await;
    function.send(event);
    match function.answer().await.unwrap().outcome {
        Ok(answer) => answer.into_response(),
        Err(error) => (StatusCode::OK, [("x-amz-function-error", "Unhandled")], error).into_response(),
    }
}

/// The account service with the API behind it. The processes end when it is dropped.
struct Product {
    stack: Embedded,
    children: Vec<Child>,
}

impl Drop for Product {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

async fn product() -> Product {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let invoked = |name| format!("http://{}/2015-03-31/functions/{name}/invocations", listener.local_addr().unwrap());
    let settings = [("API_BACKEND", &*invoked("movements")), ("EVENT_TARGET", &*invoked("erasure"))];
    let stack = Embedded::start(&settings).await;
    let attribute = |name| AttributeDefinition::builder().attribute_name(name).attribute_type(S).build().unwrap();
    let key = |name, kind| KeySchemaElement::builder().attribute_name(name).key_type(kind).build().unwrap();
    let table = stack.dynamodb().create_table().table_name("movements").billing_mode(BillingMode::PayPerRequest);
    let table = table.attribute_definitions(attribute("account")).attribute_definitions(attribute("id"));
    table.key_schema(key("account", KeyType::Hash)).key_schema(key("id", KeyType::Range)).send().await.unwrap();
    let (mut functions, mut children) = (HashMap::new(), Vec::new());
    for (name, binary) in BINARIES {
        let api = RuntimeApi::start().await.unwrap();
        let command = Command::new(binary)
            .env_clear()
            .envs(environment(name, api.address()))
            .env("AWS_ENDPOINT_URL_DYNAMODB", stack.dynamodb_url())
            .spawn();
        children.push(command.unwrap());
        functions.insert(name, Mutex::new(api));
    }
    let router = Router::new().route("/2015-03-31/functions/{name}/invocations", post(invoke));
    let router = router.with_state(Arc::new(Lambda { functions }));
    tokio::spawn(async move { axum::serve(listener, router).await });
    Product { stack, children }
}

async fn add(visitor: &Visitor, movement: &Value) -> (u16, Value) {
    let answer = visitor.request(API).json(movement).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

async fn list(visitor: &Visitor) -> (u16, Value) {
    let request = visitor.service.request("GET", API);
    let cookie = visitor.cookie.iter().map(|cookie| ("cookie", cookie));
    let answer = cookie.fold(request, |request, (name, value)| request.header(name, value)).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

#[tokio::test]
async fn whoever_is_signed_in_sees_their_own_movements_and_nobody_after_the_logout() {
    let Product { stack, .. } = &product().await;
    let (ana, eva) = (stack.service.visitor().signed_in().await, stack.service.visitor().signed_in().await);
    let movement = json!({"concept": "Alquiler", "cents": -75_000});
    assert_eq!(add(&ana, &movement).await.0, 201);
    assert_eq!(list(&ana).await, (200, json!({"movements": [movement]})));
    assert_eq!(list(&eva).await, (200, json!({"movements": []})), "somebody else's");
    for wrong in [json!({"concept": "", "cents": 1}), json!({"concept": "x", "cents": 1.5}), json!([])] {
        assert_eq!(add(&ana, &wrong).await.0, 422, "{wrong}");
    }
    assert_eq!(list(&stack.service.visitor()).await.0, 401, "a stranger");
    assert_eq!(ana.clone().form(paths::LOGOUT, &[]).await.success(), true);
    assert_eq!((list(&ana).await.0, add(&ana, &movement).await.0), (403, 403), "after the logout");
}

#[tokio::test]
async fn a_deleted_account_leaves_no_movement_and_nobody_elses_is_lost() {
    let Product { stack, .. } = &product().await;
    let (mut ana, eva) = (stack.service.visitor().signed_in().await, stack.service.visitor().signed_in().await);
    let movement = json!({"concept": "Nómina", "cents": 150_000});
    for _ in 0..30 {
        assert_eq!(add(&ana, &movement).await.0, 201);
    }
    assert_eq!(add(&eva, &movement).await.0, 201);
    assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    assert!(stack.deliver_changes().await);
    let is_movement = |item: &&HashMap<String, _>| item.contains_key("concept");
    let left = async || stack.items("movements").await.iter().filter(is_movement).count();
    for _ in 0..200 {
        if left().await == 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(left().await, 1);
    assert_eq!(list(&eva).await.1["movements"], json!([movement]));
    // The address begins again with nothing.
    let mut again = ana.without_session();
    again.register().await;
    assert_eq!(again.login(PASSWORD).await.success(), true);
    assert_eq!(list(&again).await, (200, json!({"movements": []})));
}
