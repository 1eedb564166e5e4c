//! Which commands ask the table for what passwords can be guessed with, compared with the policy `OperatorReads`.

use std::collections::BTreeSet;
use std::io::Write;

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::{Embedded, Failure, rows};
use serde_json::{Value, json};
use serde_yaml_ng::Value as Yaml;
use tempfile::{NamedTempFile, TempDir};

use super::BCRYPT;
use super::recording::{for_stack, start};
use super::restored::restore as copy_table;
use crate::Ended;
use crate::support::{accounts, items, set, set_password};

const PERMISSIONS: &str = include_str!("../../../../permissions.yaml");
/// The commands that need the policy `OperatorReadsHashes`.
const WITH_HASHES: [&str; 4] = ["doctor", "export", "import", "restore"];
/// The commands that read no table.
const WITHOUT_TABLE: [&str; 2] = ["completions", "help"];

/// The attributes that `OperatorReads` allows, which its condition has to name.
fn readable() -> BTreeSet<String> {
    let template: Yaml = serde_yaml_ng::from_str(PERMISSIONS).unwrap();
    let statements = &template["Resources"]["OperatorReads"]["Properties"]["PolicyDocument"]["Statement"];
    let mut conditions = statements.as_sequence().unwrap().iter().filter_map(|one| one.get("Condition"));
    let names = &conditions.next().unwrap()["ForAllValues:StringEquals"]["dynamodb:Attributes"];
    names.as_sequence().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// Why a call may return what passwords can be guessed with; `None` if it cannot. As DynamoDB does, it takes all attributes
/// that the request names for those that it asks for.
fn exposure(operation: &str, asked: &Value, readable: &BTreeSet<String>) -> Option<String> {
    let is_of_accounts = |table: &Value| table == "accounts" || table == "restored";
    let read = match operation {
        "GetItem" | "Query" | "Scan" => Some(asked).filter(|asked| is_of_accounts(&asked["TableName"])),
        "BatchGetItem" => {
            asked["RequestItems"].as_object()?.iter().find(|(name, _)| *name != "entries").map(|(_, keys)| keys)
        }
        _ => {
            let text = asked.to_string();
            let returns = ["ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"];
            return returns.into_iter().find(|value| text.contains(value)).map(|value| format!("{operation} {value}"));
        }
    };
    let read = read.filter(|read| read["IndexName"].is_null())?;
    let is_selected =
        read["Select"] == "SPECIFIC_ATTRIBUTES" || read["Select"].is_null() && operation.ends_with("GetItem");
    if read["ProjectionExpression"].is_null() || !is_selected {
        return Some(format!("{operation} of all attributes"));
    }
    let names = read["ExpressionAttributeNames"].as_object().into_iter().flat_map(|names| names.values());
    let refused: Vec<&str> = names.filter_map(Value::as_str).filter(|name| !readable.contains(*name)).collect();
    (!refused.is_empty()).then(|| format!("{operation} of {refused:?}"))
}

/// What the calls since the last time expose.
fn exposures(stack: &Embedded) -> Vec<String> {
    let readable = readable();
    stack.table.bodies().iter().filter_map(|(operation, asked)| exposure(operation, asked, &readable)).collect()
}

/// The names of all commands.
async fn all_commands(stack: &Embedded) -> BTreeSet<String> {
    let help = accounts(stack, &["--help"]).await.out;
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let lines = commands.lines().take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ").filter(|name| !name.starts_with(' ')));
    names.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

/// A file with a user to import.
fn user(email: &str) -> NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(".ndjson").tempfile().unwrap();
    let user = json!({"id": 900, "email": email, "name": "Eva", "password": BCRYPT, "google_sub": "110"});
    writeln!(file, "{user}").unwrap();
    file
}

#[tokio::test]
async fn no_command_asks_the_table_for_hashes_but_those_that_need_them() {
    let (stack, mut ana, _aws, url) = start().await;
    let folder = TempDir::new().unwrap();
    let journal = folder.path().join("journal").to_str().unwrap().to_owned();
    ana.with_passkey().await;
    let eva = stack.service.visitor().registered().await;
    set_password(&stack, &eva.email, BCRYPT).await;
    copy_table(&stack).await;
    let passkey = items(&stack, &ana.email, "passkey#").await[0]["sk"].as_s().unwrap().replace("passkey#", "");
    let (who, moved, gone) = (ana.email.as_str(), &*format!("new.{}", ana.email), eva.email.as_str());
    let moment = "2026-11-20T17:30:00Z";
    let changing = ["--reason", "a test"];
    let mut run = BTreeSet::new();
    drop(stack.table.bodies());
    for (command, more) in [
        (&["find", who][..], &[][..]),
        (&["show", who], &[]),
        (&["sessions", who], &[]),
        (&["passkeys", who], &[]),
        (&["audit", who], &[]),
        (&["entries", "export", who], &[]),
        (&["legacy", "--list"], &[]),
        (&["stats", "--entries"], &[]),
        (&["export", "-"], &[]),
        (&["log", "stats count(*)"], &[]),
        (&["verify-log"], &[]),
        (&["disable", who], &changing),
        (&["enable", who], &changing),
        (&["passkeys", "remove", who, &passkey, "--yes"], &changing),
        (&["sessions", "end", who, "--all"], &changing),
        (&["sessions", "end-all", "--yes"], &changing),
        (&["legacy", "remove", "--format", "bcrypt", "--yes"], &changing),
        (&["force-reset", who, "--yes"], &changing),
        (&["force-reset", "--all", "--yes", "--journal", &journal], &changing),
        (&["verify", who, "--yes"], &changing),
        (&["set-email", who, moved, "--yes"], &changing),
        (&["lock", moved, "--yes"], &changing),
        (&["prepare-restored", "restored", "--moment", moment, "--yes"], &changing),
        (&["entries", "erase-deleted", "--moment", moment, "--yes"], &changing),
        (&["erase", gone, "--yes"], &changing),
    ] {
        let ended = for_stack(&stack, &url, &[command, more].concat()).await;
        // The lines of the stand-in's log do not fit together.
        assert!(ended.code == 0 || command == ["verify-log"], "{command:?}: {ended:?}");
        assert_eq!(exposures(&stack), Vec::<String>::new(), "{command:?}");
        run.insert(command[0].to_owned());
    }
    // Damage, so that rows are read again and repaired. Only the local stack has all services that it asks.
    set(&stack, who, "profile_id", AttributeValue::N("77".to_owned())).await;
    drop(stack.table.bodies());
    for more in [&[][..], &["--fix", "--yes", "--reason", "a test"]] {
        let ended = accounts(&stack, &[&["doctor", "--data"], more].concat()).await;
        assert!(ended.err.contains("not checked: the hashes of passwords (--with-hashes)"), "{ended:?}");
        assert_eq!(exposures(&stack), Vec::<String>::new(), "doctor {more:?}");
    }
    run.insert("doctor".to_owned());

    let (file, report) = (user("eva@example.com"), folder.path().join("report"));
    let report = report.to_str().unwrap();
    // Where nobody has registered, an import does not wait.
    let empty = Embedded::start(&[]).await;
    drop(empty.table.bodies());
    let with_hashes: [(&Embedded, &[&str]); 5] = [
        (&stack, &["doctor", "--data", "--with-hashes"]),
        (&stack, &["export", "-", "--with-hashes"]),
        (&stack, &["restore", gone, "--from", "restored", "--yes", "--reason", "a test"]),
        (&empty, &["import", file.path().to_str().unwrap(), "--proved", "all", "--report", report]),
        (&empty, &["import", "undo", report, "--yes", "--reason", "a test"]),
    ];
    for (stack, command) in with_hashes {
        let ended = accounts(stack, command).await;
        assert_eq!(ended.code, 0, "{command:?}: {ended:?}");
        let exposed = exposures(stack);
        assert!(exposed.iter().any(|call| call.ends_with("of all attributes")), "{command:?}");
        assert!(exposed.iter().all(|call| call.ends_with("of all attributes")), "no write returns rows: {exposed:?}");
    }
    run.extend(WITH_HASHES.into_iter().chain(WITHOUT_TABLE).map(str::to_owned));
    assert_eq!(run, all_commands(&stack).await, "the commands that this test runs, and those that exist");
}

#[tokio::test]
async fn a_row_that_does_not_name_the_format_of_its_hash_counts_as_one_that_may_have_a_password() {
    let (stack, ana) = super::start().await;
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    rows::put(&stack, rows::with(&profile, "password_format", None)).await;
    assert_eq!(accounts(&stack, &["find", &ana.email, "--json"]).await.json()["password_hash"], "unrecorded");
    let stats = accounts(&stack, &["stats", "--json"]).await.json();
    assert_eq!((&stats["password_hashes"], &stats["without_password"]), (&json!({"unrecorded": 1}), &json!(0)));
    let folder = TempDir::new().unwrap();
    let journal = folder.path().join("journal").to_str().unwrap().to_owned();
    let reset = ["force-reset", "--all", "--journal", &journal, "--yes", "--reason", "leaked hashes", "--json"];
    let reset = accounts(&stack, &reset).await;
    assert_eq!(reset.json()["reset"], 1, "{reset:?}");
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    assert_eq!((profile.get("password"), rows::text(&profile, "password_format")), (None, "none".to_owned()));
}

#[tokio::test]
async fn a_call_that_aws_refuses_names_the_policy_that_allows_it() {
    let (stack, ana) = super::start().await;
    let file = user("eva@example.com");
    let file = file.path().to_str().unwrap();
    for (call, command, policies) in [
        ("GetItem", &["find", &ana.email][..], "policy OperatorReads\n"),
        ("Scan", &["export", "-"], "policy OperatorReads."),
        ("Scan", &["export", "-", "--with-hashes"], "policies OperatorReads and OperatorReadsHashes"),
        ("BatchGetItem", &["import", file, "--proved", "all"], "policies OperatorReads and OperatorReadsHashes"),
        ("UpdateItem", &["disable", &ana.email, "--reason", "a test"], "policies OperatorReads and OperatorChanges"),
    ] {
        let denied = Failure::Answer(400, r#"{"__type":"AccessDeniedException"}"#.to_owned());
        stack.table.fail_call_of(call, 0, denied, true);
        let Ended { code, err, .. } = accounts(&stack, command).await;
        stack.table.heal();
        assert!(code == 1 && err.contains("AccessDeniedException") && err.contains(policies), "{command:?}: {err}");
    }
}
