//! Checks that the policies for operators in `infra/permissions.yaml` allow what the tool calls, and no more.

use std::collections::BTreeSet;
use std::io::Write;

use journeys::Embedded;
use serde_json::{Value as Json, json};
use serde_yaml_ng::Value;

use super::damage;
use super::recorded::Recorded;
use crate::local;
use crate::operating::BCRYPT;
use crate::support::set_password;

const PERMISSIONS: &str = include_str!("../../../../permissions.yaml");

/// The calls for the log in AWS, which `recording.rs` tests, and for mails, which `resetting.rs` tests.
const OTHERS: [&str; 7] = [
    "cloudformation:DescribeStackResource",
    "logs:CreateLogStream",
    "logs:FilterLogEvents",
    "logs:GetQueryResults",
    "logs:PutLogEvents",
    "logs:StartQuery",
    "ses:SendEmail",
];

/// An IAM action, and the table or index that it is on. For other services the resource is empty.
type Calls = BTreeSet<(String, String)>;

/// The name of a resource of a policy.
fn resource(value: &Value) -> String {
    let text = match value {
        Value::Tagged(tagged) => tagged.value.as_str().unwrap_or_default(),
        value => value.as_str().unwrap(),
    };
    text.replace("${AccountsTableArn}", "accounts")
        .replace("AccountsTableArn", "accounts")
        .replace("${EntriesTableArn}", "entries")
        .replace("EntriesTableArn", "entries")
}

/// What a policy allows.
fn allowed(policy: &str) -> Calls {
    let template: Value = serde_yaml_ng::from_str(PERMISSIONS).unwrap();
    let document = &template["Resources"][policy]["Properties"]["PolicyDocument"];
    let mut calls = Calls::new();
    for statement in document["Statement"].as_sequence().unwrap() {
        let resources = match &statement["Resource"] {
            Value::Sequence(several) => several.iter().map(resource).collect(),
            one => vec![resource(one)],
        };
        for action in statement["Action"].as_sequence().unwrap() {
            let action = action.as_str().unwrap();
            let is_of_table = action.starts_with("dynamodb:");
            let resources = if is_of_table { resources.clone() } else { vec![String::new()] };
            calls.extend(resources.into_iter().map(|resource| (action.to_owned(), resource)));
        }
    }
    calls
}

/// The actions that a call to a table requires. A transaction requires those of its parts.
fn required(operation: &str, asked: &Json) -> Calls {
    let on = |operation: &str, table: &str| (format!("dynamodb:{operation}"), table.to_owned());
    let table = asked["TableName"].as_str().unwrap_or_default();
    if let Some(parts) = asked["TransactItems"].as_array() {
        let parts = parts.iter().flat_map(|part| part.as_object().unwrap());
        let operation =
            |kind: &str| if kind == "ConditionCheck" { "ConditionCheckItem".to_owned() } else { format!("{kind}Item") };
        return parts.map(|(kind, part)| on(&operation(kind), part["TableName"].as_str().unwrap())).collect();
    }
    if let Some(tables) = asked["RequestItems"].as_object() {
        return tables.keys().map(|table| on(operation, table)).collect();
    }
    match asked["IndexName"].as_str() {
        Some(index) => Calls::from([on(operation, &format!("{table}/index/{index}"))]),
        None => Calls::from([on(operation, table)]),
    }
}

/// The calls to the tables since the last time.
fn made(stack: &Embedded) -> Calls {
    stack.table.bodies().iter().flat_map(|(operation, asked)| required(operation, asked)).collect()
}

/// The actions of the doctor's calls to a deployment in AWS.
async fn of_deployment() -> Calls {
    let recorded = Recorded::sound().await;
    assert_eq!(recorded.doctor(&[]).await.code, 0);
    let named = recorded.calls().into_iter().filter_map(|call| {
        let (action, of) = match call.as_str() {
            "/certs" => return None,
            "/2015-03-31/event-source-mappings" => ("lambda:ListEventSourceMappings", ""),
            "GetQueueAttributes " => ("sqs:GetQueueAttributes", ""),
            "/2016-08-19/account-settings" => ("lambda:GetAccountSettings", ""),
            "/v2/email/account" => ("ses:GetAccount", ""),
            "/v2/email/identities/example.com" => ("ses:GetEmailIdentity", ""),
            "DescribeStacks" => ("cloudformation:DescribeStacks", ""),
            "GetCallerIdentity" => ("sts:GetCallerIdentity", ""),
            "ListSubscriptionsByTopic" => ("sns:ListSubscriptionsByTopic", ""),
            call => match call.split_once(' ').unwrap() {
                ("DescribeLogGroups", _) => ("logs:DescribeLogGroups", ""),
                (operation, table) => {
                    return Some((format!("dynamodb:{operation}"), table.trim_end_matches("-table").to_owned()));
                }
            },
        };
        Some((action.to_owned(), of.to_owned()))
    });
    named.collect()
}

/// A file to import, with these users.
fn file(users: &[Json]) -> tempfile::NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(".ndjson").tempfile().unwrap();
    for user in users {
        writeln!(file, "{user}").unwrap();
    }
    file
}

#[tokio::test]
async fn operators_are_allowed_what_the_tool_calls_and_no_more() {
    let stack = Embedded::start(&[]).await;
    let report = tempfile::NamedTempFile::new().unwrap();
    let report = report.path().to_str().unwrap();
    drop(stack.table.bodies());
    let user = |id: u64, sub: Option<&str>| json!({"id": id, "email": format!("u{id}@example.com"), "name": "Ana", "google_sub": sub});
    for users in [[user(900, Some("110")), user(901, None)], [user(900, Some("111")), user(901, None)]] {
        let users = file(&users);
        let import = ["import", users.path().to_str().unwrap(), "--proved", "all", "--report", report];
        let run = local(&stack, &import).await;
        assert_eq!(run.code, 0, "{run:?}");
    }
    let undone = local(&stack, &["import", "undo", report, "--yes", "--reason", "test", "--json"]).await;
    assert_eq!(undone.json()["deleted"], 2, "{undone:?}");
    let mut changes = made(&stack);
    let is_read = |(action, on): &&(String, String)| {
        on == "accounts" && ["Get", "Query", "Scan"].iter().any(|read| action.contains(read))
    };
    let hashes: Calls = changes.iter().filter(is_read).cloned().collect();
    assert_eq!(hashes, allowed("OperatorReadsHashes"), "the reads of imports (left)");

    let mut ana = stack.service.visitor().signed_in().await;
    ana.json(journeys::paths::RECEIVE_DATA, "{}").await;
    damage(&stack).await;
    drop(stack.table.bodies());
    let who = ana.email.as_str();
    for arguments in [
        &["export", "-"][..],
        &["find", who],
        &["find", "1"],
        &["show", who],
        &["sessions", who],
        &["passkeys", who],
        &["legacy", "--list"],
        &["entries", "export", who],
        &["stats", "--entries"],
        &["doctor", "--data"],
    ] {
        local(&stack, arguments).await;
    }
    let mut reads = made(&stack);
    let fixed = local(&stack, &["doctor", "--data", "--fix", "--yes", "--reason", "test"]).await;
    assert!(fixed.out.contains("Repaired: 1."), "{fixed:?}");
    changes.extend(made(&stack));
    let mut eva = stack.service.visitor().registered().await;
    eva.login(journeys::PASSWORD).await;
    eva.with_passkey().await;
    let passkeys = local(&stack, &["passkeys", &eva.email, "--json"]).await.lines();
    let passkey = passkeys[0]["id"].as_str().unwrap();
    let legacy = stack.service.visitor().registered().await;
    set_password(&stack, &legacy.email, BCRYPT).await;
    drop(stack.table.bodies());
    for change in [
        &["passkeys", "remove", &eva.email, passkey, "--yes"][..],
        &["disable", &eva.email],
        &["enable", &eva.email],
        &["sessions", "end", &eva.email, "--all"],
        &["force-reset", &eva.email, "--yes"],
        &["erase", &eva.email, "--yes"],
    ] {
        let ended = local(&stack, &[change, &["--reason", "test"]].concat()).await;
        assert_eq!(ended.code, 0, "{ended:?}");
    }
    let removed = ["legacy", "remove", "--format", "bcrypt", "--yes", "--reason", "test", "--json"];
    assert_eq!(local(&stack, &removed).await.json()["removed"], 1);
    let ended = local(&stack, &["sessions", "end-all", "--yes", "--reason", "test", "--json"]).await;
    assert_eq!(ended.json()["changed"], true, "{ended:?}");
    changes.extend(made(&stack));
    reads.extend(of_deployment().await);

    let readable = allowed("OperatorReads");
    assert_eq!(&reads - &readable, Calls::new(), "reads that OperatorReads does not allow");
    let all = &readable | &allowed("OperatorChanges");
    let others: Calls = OTHERS.map(|action| (action.to_owned(), String::new())).into();
    assert_eq!(&(&reads | &changes) | &others, all, "what the tool called (left), what the policies allow (right)");
}
