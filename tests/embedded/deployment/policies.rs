//! Checks that `infra/permissions.yaml` allows each function exactly the actions that it uses.

use std::collections::BTreeSet;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::{Embedded, Endpoint, Failure, PASSWORD, paths};
use serde_json::json;
use serde_yaml_ng::Value;

use journeys::{proofs, rows};

const PERMISSIONS: &str = include_str!("../../../infra/permissions.yaml");

/// The actions that a policy document allows, without those of Lambda itself.
fn actions(document: &Value) -> BTreeSet<String> {
    let statements = document["Statement"].as_sequence().unwrap().iter();
    let actions = statements.flat_map(|statement| statement["Action"].as_sequence().unwrap());
    actions
        .map(|action| action.as_str().unwrap().to_owned())
        .filter(|action| !action.starts_with("logs:") && !action.starts_with("xray:"))
        .collect()
}

/// The actions that a function's role allows, with its own policies, those that depend on a setting, and the shared
/// ones.
fn allowed(function: &str) -> BTreeSet<String> {
    let template: Value = serde_yaml_ng::from_str(PERMISSIONS).unwrap();
    let resources = &template["Resources"];
    let role = &resources[format!("{function}Role")]["Properties"];
    let shared = role["ManagedPolicyArns"].as_sequence().unwrap().iter().map(|name| {
        let Value::Tagged(name) = name else { panic!("{name:?} is not a !Ref") };
        &resources[name.value.as_str().unwrap()]["Properties"]
    });
    let own = role["Policies"].as_sequence().unwrap().iter().map(|policy| match policy {
        // `!If [condition, policy, none]`.
        Value::Tagged(choice) => &choice.value[1],
        policy => policy,
    });
    shared.chain(own).flat_map(|policy| actions(&policy["PolicyDocument"])).collect()
}

/// Does everything that the endpoint at this path can do, and returns the actions of its calls.
async fn all_of(stack: &Embedded, path: &'static str) -> BTreeSet<String> {
    let mut ana = stack.service.visitor();
    if path != paths::REGISTER {
        ana = ana.signed_in().await;
    }
    let token = match path {
        paths::RESET_PASSWORD => ana.reset_token().await,
        paths::VERIFY_EMAIL => ana.verification_token().await,
        _ => String::new(),
    };
    if path == paths::LOGIN {
        let profile = rows::profile(stack, &ana.email).await.unwrap();
        let outdated = AttributeValue::S(rows::weak_hash(PASSWORD));
        rows::put(stack, rows::with(&profile, "password", Some(outdated))).await;
    }
    let mut others = Vec::new();
    if path == paths::CLOSE_SESSION {
        ana.elsewhere().login(PASSWORD).await;
        others = ana.other_sessions().await;
    }
    let email = ana.email.clone();
    drop((stack.table.actions(), stack.mail.actions(), stack.secrets.actions()));
    match path {
        paths::LOGIN => {
            assert_eq!(ana.login("Otra1234").await.success(), false);
            let fields = [("email", &*email), ("password", PASSWORD), ("g-captcha-response", "token")];
            // The captcha provider does not answer, but its secret has been fetched.
            assert_eq!(ana.form(path, &fields).await.status, 500);
            assert_eq!(ana.login(PASSWORD).await.success(), true);
        }
        paths::GOOGLE_LOGIN | paths::GOOGLE_REDIRECT => {
            let newcomer = stack.service.visitor().credential(json!({})).await;
            let linked = ana.credential(json!({"sub": "110"})).await;
            let moved = ana.credential(json!({"sub": "110", "email": "otra@example.com"})).await;
            for credential in [linked, moved, newcomer] {
                let answer = ana.json(path, json!({"credential": credential}).to_string()).await;
                assert_eq!(answer.status, 200, "{answer:?}");
            }
        }
        paths::USER_CONFIG => {
            let fields = [("name", "Ana"), ("password", "Otra1234"), ("confirm_password", "Otra1234")];
            assert_eq!(ana.form(path, &fields).await.success(), true);
            assert_eq!(ana.form(path, &fields[..1]).await.success(), true);
        }
        paths::CLOSE_SESSION => {
            assert_eq!(ana.form(path, &[("id", &others[0])]).await.success(), true);
            assert_eq!(ana.form(path, &[("others", "on")]).await.success(), true);
        }
        paths::VERIFY_EMAIL => assert_eq!(ana.verify(&token).await.success(), true),
        paths::RESET_PASSWORD => assert_eq!(ana.reset(&token, "Otra1234").await.success(), true),
        paths::RECEIVE_DATA => {
            // The session's last use is updated again after ten minutes.
            stack.advance(Duration::from_mins(11));
            for mut caller in [ana.clone(), ana.elsewhere()] {
                let repeatable = caller.request(path).header("content-type", "application/json");
                let repeatable = caller.send(repeatable.header("idempotency-key", "clave").body("[{},{}]")).await;
                assert_eq!(repeatable.success(), true);
            }
        }
        _ => {
            let endpoint = Endpoint::at(path);
            let values = endpoint.request().values(&mut ana).await;
            if path == paths::PASSKEY_REGISTER_OPTIONS {
                ana.with_passkey().await;
            }
            if endpoint.needs_session() && path != paths::PASSKEY_REGISTER {
                // The session's last use is updated again after ten minutes.
                stack.advance(Duration::from_mins(11));
            }
            drop(stack.table.actions());
            let answer = endpoint.request().call(&values).by(&mut ana).await;
            assert_eq!(answer.success(), true, "{answer:?}");
        }
    }
    let named = |service: &'static str, actions: BTreeSet<String>| {
        actions.into_iter().map(move |action| format!("{service}:{action}"))
    };
    named("dynamodb", stack.table.actions())
        .chain(named("ses", stack.mail.actions()))
        .chain(named("secretsmanager", stack.secrets.actions()))
        .collect()
}

/// The actions of Lambda itself, which reads the stream with the role of the listener.
const READING_A_STREAM: [&str; 4] =
    ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams"];

#[tokio::test]
async fn the_listener_has_exactly_the_permissions_that_it_uses() {
    let stack = Embedded::start(&[("VERIFY_EMAIL", "on")]).await;
    let mut ana = stack.service.visitor().signed_in().await;
    ana.elsewhere().login(PASSWORD).await;
    let token = ana.reset_token().await;
    assert_eq!(ana.reset(&token, "Otra1234").await.success(), true);
    drop((stack.table.actions(), stack.mail.actions()));
    let refusal = json!({"__type": "MessageRejected", "message": "no"}).to_string();
    stack.mail.fail_always(Failure::Answer(400, refusal));
    assert!(stack.deliver_changes().await);
    let mut table = stack.table.actions();
    assert!(!stack.dead_letters().await.is_empty());
    stack.mail.heal();
    ana.login("Otra1234").await;
    assert_eq!(ana.json(paths::RECEIVE_DATA, "{}").await.success(), true);
    assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    drop(stack.table.actions());
    assert!(stack.deliver_changes().await);
    table.extend(stack.table.actions());
    let mut done: BTreeSet<String> = table.iter().map(|action| format!("dynamodb:{action}")).collect();
    done.extend(stack.mail.actions().iter().map(|action| format!("ses:{action}")));
    done.extend(READING_A_STREAM.map(str::to_owned));
    // The message to the dead-letter queue goes through no proxy.
    done.insert("sqs:SendMessage".to_owned());
    assert_eq!(done, allowed("Notices"), "what it did (left), what infra/permissions.yaml allows (right)");
}

#[tokio::test]
async fn each_function_has_exactly_the_permissions_that_it_uses() {
    let settings =
        [("LOGIN_MAX_FAILURES", "9"), ("CAPTCHA_SECRET", "s3cret"), ("CAPTCHA_VERIFY_URL", "http://127.0.0.1:9")];
    let template = Embedded::start(&[]).await.template().clone();
    assert_eq!(
        template.routes().count(),
        paths::ALL.len(),
        "routes in template.yaml, endpoints in tests/support/requests"
    );
    for &path in paths::ALL {
        let stack = match path {
            paths::CAPTCHA => Embedded::start(&proofs::SETTINGS).await,
            _ => Embedded::start(&settings).await,
        };
        let function = &template.routes().find(|route| route.path == path).unwrap().function;
        assert_eq!(
            all_of(&stack, path).await,
            allowed(function),
            "{path}: what it did (left), what infra/permissions.yaml allows (right)"
        );
    }
}
