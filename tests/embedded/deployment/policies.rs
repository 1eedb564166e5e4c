//! Checks that `infra/permissions.yaml` allows each function exactly the actions that it uses.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::join_all;
use journeys::requests::Actor;
use journeys::{Embedded, Endpoint, Failure, PASSWORD, Proxy, paths};
use local::Template;
use serde_json::json;
use serde_yaml_ng::Value;

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

/// The patterns of the partition keys that a function's role allows in the accounts table.
fn allowed_partitions(function: &str) -> BTreeSet<String> {
    let template: Value = serde_yaml_ng::from_str(PERMISSIONS).unwrap();
    let resources = &template["Resources"];
    let role = &resources[format!("{function}Role")]["Properties"];
    let own = role["Policies"].as_sequence().unwrap().iter().filter(|policy| !matches!(policy, Value::Tagged(_)));
    let mut all = BTreeSet::new();
    for policy in own.chain(shared(resources, role)) {
        for statement in policy["PolicyDocument"]["Statement"].as_sequence().unwrap() {
            let keys = &statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"];
            all.extend(keys.as_sequence().into_iter().flatten().map(|key| key.as_str().unwrap().to_owned()));
        }
    }
    all
}

/// The shared policies of a role.
fn shared<'a>(resources: &'a Value, role: &'a Value) -> impl Iterator<Item = &'a Value> {
    role["ManagedPolicyArns"].as_sequence().unwrap().iter().map(|name| {
        let Value::Tagged(name) = name else { panic!("{name:?} is not a !Ref") };
        &resources[name.value.as_str().unwrap()]["Properties"]
    })
}

/// The actions that a function's role allows, with its own policies, those that depend on a setting, and the shared
/// ones.
fn allowed(function: &str) -> BTreeSet<String> {
    let template: Value = serde_yaml_ng::from_str(PERMISSIONS).unwrap();
    let resources = &template["Resources"];
    let role = &resources[format!("{function}Role")]["Properties"];
    let own = role["Policies"].as_sequence().unwrap().iter().map(|policy| match policy {
        // `!If [condition, policy, none]`.
        Value::Tagged(choice) => &choice.value[1],
        policy => policy,
    });
    shared(resources, role).chain(own).flat_map(|policy| actions(&policy["PolicyDocument"])).collect()
}

/// The actions of the requests to an endpoint, and the patterns of the partition keys, each with a stack of its own. If they have a session, its last use is
/// recorded again.
async fn actions_of(path: &'static str) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut all, mut partitions) = (BTreeSet::new(), BTreeSet::new());
    // A browser may also present a session in redirect mode, so the requests of the other mode are made too.
    let further = if path == paths::GOOGLE_REDIRECT { Endpoint::at(paths::GOOGLE_LOGIN).requests } else { &[] };
    for request in Endpoint::at(path).requests.iter().chain(further) {
        let stack = request.start().await;
        let mut actor = Actor::ready(request, &stack).await;
        // By then, the challenges of passkeys have expired.
        if actor.visitor.cookie.is_some()
            && ![paths::PASSKEY_REGISTER, paths::PASSKEY_LOGIN, paths::CONFIRM].contains(&path)
        {
            stack.advance(Duration::from_mins(11));
        }
        drop((stack.table.actions(), stack.table.partitions(), stack.mail.actions(), stack.secrets.actions()));
        let answer = if request.path == path {
            actor.send().await
        } else {
            let body = json!({"credential": actor.values.get("credential")});
            actor.visitor.json(path, body.to_string()).await
        };
        assert!(actor.is_success(&answer), "{}: {answer:?}", request.name);
        let services = [("dynamodb", &stack.table), ("ses", &stack.mail), ("secretsmanager", &stack.secrets)];
        all.extend(services.into_iter().flat_map(|(name, proxy)| named(name, proxy)));
        partitions.extend(stack.table.partitions());
    }
    (all, partitions)
}

/// The actions of the calls to a service.
fn named(service: &str, proxy: &Proxy) -> Vec<String> {
    proxy.actions().into_iter().map(|action| format!("{service}:{action}")).collect()
}

/// The actions of Lambda itself, which reads the stream with the role of the listener.
const READING_A_STREAM: [&str; 4] =
    ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams"];

#[tokio::test]
async fn the_listener_has_exactly_the_permissions_that_it_uses() {
    let (stack, mut ana) = Embedded::signed_in(&[("VERIFY_EMAIL", "on")]).await;
    ana.elsewhere().login(PASSWORD).await;
    ana.reset_to("Otra1234").await;
    drop((stack.table.actions(), stack.table.partitions(), stack.mail.actions()));
    let refusal = json!({"__type": "MessageRejected", "message": "no"}).to_string();
    stack.mail.fail_always(Failure::Answer(400, refusal));
    assert!(stack.deliver_changes().await);
    let mut done: BTreeSet<String> = named("dynamodb", &stack.table).into_iter().collect();
    let mut partitions = stack.table.partitions();
    assert!(!stack.dead_letters().await.is_empty());
    stack.mail.heal();
    ana.login("Otra1234").await;
    assert_eq!(ana.json(paths::RECEIVE_DATA, "{}").await.success(), true);
    assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    drop((stack.table.actions(), stack.table.partitions()));
    assert!(stack.deliver_changes().await);
    partitions.extend(stack.table.partitions());
    assert_eq!(partitions, allowed_partitions("Notices"));
    done.extend([named("dynamodb", &stack.table), named("ses", &stack.mail), named("events", &stack.bus)].concat());
    done.extend(READING_A_STREAM.map(str::to_owned));
    // The message to the dead-letter queue goes through no proxy.
    done.insert("sqs:SendMessage".to_owned());
    assert_eq!(done, allowed("Notices"), "what it did (left), what infra/permissions.yaml allows (right)");
}

#[tokio::test]
async fn each_function_has_exactly_the_permissions_that_it_uses() {
    let template = Template::of_this_project().unwrap();
    let different = paths::ALL.iter().map(async |&path| {
        let function = &template.routes().find(|route| route.path == path).unwrap().function;
        let (done, allowed) = (actions_of(path).await, (allowed(function), allowed_partitions(function)));
        (done != allowed).then(|| format!("{path}: it did {done:?}, infra/permissions.yaml allows {allowed:?}"))
    });
    assert_eq!(join_all(different).await.into_iter().flatten().collect::<Vec<_>>(), [""; 0]);
}

#[tokio::test]
async fn the_authorizer_has_exactly_the_permissions_that_it_uses() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    stack.advance(Duration::from_mins(11));
    drop((stack.table.actions(), stack.table.partitions()));
    let setup = stack.setup(&[("AWS_ENDPOINT_URL_DYNAMODB", &stack.table.url())]);
    let event = json!({"cookies": [ana.cookie], "requestContext": {"http": {"method": "GET"}}});
    let verdict = local::start_function("Authorizer", &setup).unwrap()(event.to_string()).await;
    assert!(verdict.contains(r#""isAuthorized":true"#), "{verdict}");
    assert_eq!(named("dynamodb", &stack.table).into_iter().collect::<BTreeSet<_>>(), allowed("Authorizer"));
    assert_eq!(stack.table.partitions(), allowed_partitions("Authorizer"));
}
