//! `accounts prepare-restored` and `accounts entries erase-deleted`.

use std::sync::atomic::Ordering;

use aws_sdk_dynamodb::types::{AttributeValue, BillingMode, GlobalSecondaryIndex};
use journeys::{Embedded, Item, Visitor, paths};
use serde_json::{Value, json};

use super::recording::{for_stack, start};
use crate::Ended;
use crate::support::{accounts, set, text};

/// Makes the table `restored` with the rows of the accounts table, as a restore does.
pub(super) async fn restore(stack: &Embedded) {
    let (database, rows) = (stack.dynamodb(), stack.items("accounts").await);
    let table = database.describe_table().table_name("accounts").send().await.unwrap().table.unwrap();
    let create = database.create_table().table_name("restored").billing_mode(BillingMode::PayPerRequest);
    let index = table.global_secondary_indexes.unwrap().pop().unwrap();
    let index = GlobalSecondaryIndex::builder()
        .set_index_name(index.index_name)
        .set_key_schema(index.key_schema)
        .set_projection(index.projection);
    let create = create.set_key_schema(table.key_schema).set_attribute_definitions(table.attribute_definitions);
    create.global_secondary_indexes(index.build().unwrap()).send().await.unwrap();
    for row in rows {
        database.put_item().table_name("restored").set_item(Some(row)).send().await.unwrap();
    }
}

/// The number of rows of the restored table whose sort keys start in this way.
async fn count(stack: &Embedded, sk: &str) -> usize {
    let rows: Vec<Item> = stack.items("restored").await;
    rows.iter().filter(|row| row["sk"].as_s().unwrap().starts_with(sk)).count()
}

/// The counter of ids of a table.
pub(super) async fn counter(stack: &Embedded, table: &str) -> u64 {
    let rows = stack.items(table).await;
    let counter = rows.iter().find(|row| row["pk"].as_s().unwrap() == "counter").unwrap();
    counter["total"].as_n().unwrap().parse().unwrap()
}

/// The time before which no login counts in the restored table; 0 if there is none.
async fn not_before(stack: &Embedded) -> u64 {
    let rows = stack.items("restored").await;
    let row = rows.iter().find(|row| row["sk"].as_s().unwrap() == "not-before");
    row.map_or(0, |row| row["not_before"].as_n().unwrap().parse().unwrap())
}

pub(super) async fn id(visitor: &Visitor) -> u64 {
    visitor.clone().session().await.json()["user"]["id"].as_u64().unwrap()
}

/// An audit line of the log.
fn line(event: &str, id: u64) -> Value {
    json!({"function": "login", "audit.event": event, "account.id": id})
}

const COMMAND: [&str; 6] =
    ["prepare-restored", "restored", "--moment", "2026-11-20T17:30:00Z", "--reason", "a bad release"];

async fn run(stack: &Embedded, url: &str, more: &[&str]) -> Ended {
    for_stack(stack, url, &[&COMMAND, more].concat()).await
}

#[tokio::test]
async fn a_restored_table_loses_its_sessions_and_the_accounts_that_were_erased_since_and_its_ids_do_not_repeat() {
    let (stack, ana, aws, url) = start().await;
    let mut people = vec![ana];
    for number in 0..4 {
        let mut visitor = stack.service.visitor().signed_in().await;
        visitor.google(json!({"sub": format!("90{number}")})).await;
        people.push(visitor);
    }
    let mut ids = Vec::new();
    for visitor in &people {
        ids.push(id(visitor).await);
    }
    let without_audit = json!({"function": "delete-account", "account.id": ids[3], "http.status": 200});
    let refused =
        json!({"function": "delete-account", "account.id": ids[4], "http.status": 200, "problem.code": "no-session"});
    let lines = [
        line("account-deleted", ids[1]),
        line("account-erased", ids[2]),
        without_audit,
        refused,
        line("login-failed", ids[4]),
    ];
    aws.log.lock().unwrap().extend(lines);
    restore(&stack).await;
    let (began, before) = (stack.now().seconds(), stack.items("accounts").await.len());
    assert_eq!(count(&stack, "identity").await, 4);

    let dry = run(&stack, &url, &["--dry-run", "--json"]).await;
    let raised = counter(&stack, "accounts").await + 1_000_000;
    let expected = |dry: bool, erased: u64| {
        let counts = json!({"sessions_ended": true, "accounts_erased": erased, "counter": raised});
        let mut all = json!({"table": "restored", "dry_run": dry});
        all.as_object_mut().unwrap().extend(counts.as_object().unwrap().clone());
        all
    };
    assert_eq!((dry.code, dry.json()), (0, expected(true, 3)), "{dry:?}");
    assert_eq!((not_before(&stack).await, aws.lines().len()), (0, 0));

    let unasked = run(&stack, &url, &[]).await;
    assert_eq!((unasked.code, not_before(&stack).await), (3, 0), "{unasked:?}");
    let done = run(&stack, &url, &["--yes", "--json"]).await;
    assert_eq!((done.code, done.json()), (0, expected(false, 3)), "{done:?}");
    assert!(not_before(&stack).await > began, "the restored sessions have ended");
    let left = ["profile", "identity"].map(|sk| count(&stack, sk));
    assert_eq!(futures_util::future::join_all(left).await, [2, 1]);
    assert_eq!(counter(&stack, "restored").await, raised);
    assert_eq!(stack.items("accounts").await.len(), before, "the table in use is not changed");
    let filter = aws.reads.lock().unwrap().last().unwrap().clone();
    assert_eq!(filter["startTime"], 1_795_195_800_000_u64, "{filter}");
    let stages = |event: &str| {
        let lines = aws.lines().into_iter().filter(|line| text(line, "audit.event") == event);
        lines.map(|line| text(&line, "audit.stage")).collect::<Vec<_>>()
    };
    assert_eq!(stages("counter-raised"), ["intended", "done"]);
    assert_eq!(stages("sessions-ended"), ["intended", "done"]);
    assert_eq!(stages("account-erased"), ["intended", "intended", "intended", "done", "done", "done"]);

    let again = run(&stack, &url, &["--yes", "--json"]).await;
    assert_eq!((again.code, again.json()), (0, expected(false, 0)), "{again:?}");
}

#[tokio::test]
async fn an_account_that_was_brought_back_after_its_erasure_is_not_erased_again() {
    let (stack, ana, aws, url) = start().await;
    let id = id(&ana).await;
    let mut back = line("account-restored", id);
    back["audit.stage"] = json!("intended");
    aws.log.lock().unwrap().extend([line("account-erased", id), back.clone()]);
    restore(&stack).await;
    let dry = async || run(&stack, &url, &["--dry-run", "--json"]).await.count("accounts_erased");
    assert_eq!(dry().await, 1, "an intent alone");
    back["audit.stage"] = json!("done");
    aws.log.lock().unwrap().push(back);
    assert_eq!(dry().await, 0);
    assert!(aws.reads.lock().unwrap().last().unwrap().to_string().contains("account-restored"));
}

#[tokio::test]
async fn a_preparation_whose_later_audit_line_cannot_be_written_says_what_was_changed_before() {
    let (stack, _, aws, url) = start().await;
    restore(&stack).await;
    // The counter is raised first, with two lines.
    aws.first_failing_write.store(3, Ordering::SeqCst);
    let failed = run(&stack, &url, &["--yes"]).await;
    assert_eq!((failed.code, not_before(&stack).await), (1, 0), "{failed:?}");
    assert!(failed.err.contains("no more was changed after 1 audit lines with the outcome done"), "{failed:?}");
}

#[tokio::test]
async fn a_restored_table_that_is_in_use_keeps_its_new_sessions_and_its_counter() {
    let (stack, ana, aws, url) = start().await;
    let eva = stack.service.visitor().signed_in().await;
    let deleted = line("account-deleted", id(&eva).await);
    aws.log.lock().unwrap().push(deleted);
    let before = counter(&stack, "accounts").await;
    let mut command = COMMAND;
    command[1] = "accounts";
    let run = for_stack(&stack, &url, &[&command[..], &["--yes", "--json"]].concat()).await;
    assert_eq!(
        (run.code, &run.json()["sessions_ended"], run.count("accounts_erased")),
        (0, &json!(false), 1),
        "{run:?}"
    );
    assert_eq!((&run.json()["counter"], counter(&stack, "accounts").await), (&Value::Null, before));
    assert_eq!((ana.clone().session().await.status, eva.clone().session().await.status), (200, 401));
}

#[tokio::test]
async fn a_table_is_made_ready_after_the_old_one_is_lost_if_its_last_id_is_named() {
    let (stack, _ana, aws, url) = start().await;
    aws.log.lock().unwrap().push(line("account-deleted", 404));
    restore(&stack).await;
    let database = stack.dynamodb();
    database.update_table().table_name("accounts").deletion_protection_enabled(false).send().await.unwrap();
    database.delete_table().table_name("accounts").send().await.unwrap();
    let lost = run(&stack, &url, &["--yes"]).await;
    assert!(lost.code == 1 && lost.err.contains("--last-id"), "{lost:?}");
    let done = run(&stack, &url, &["--yes", "--last-id", "7000"]).await;
    assert_eq!((done.code, counter(&stack, "restored").await), (0, 1_007_000), "{done:?}");
}

#[tokio::test]
async fn entries_of_deleted_accounts_that_a_restore_has_brought_back_are_erased_again() {
    let (stack, ana, aws, url) = start().await;
    let eva = stack.service.visitor().signed_in().await;
    let deleted = id(&eva).await;
    for visitor in [&ana, &eva] {
        assert_eq!(visitor.clone().json(paths::RECEIVE_DATA, "{}").await.success(), true);
    }
    assert_eq!(eva.clone().form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    // What a restore of the entries table leaves: the entries that the deletion erased exist.
    let restored = stack.items("entries").await;
    assert!(stack.deliver_changes().await && stack.items("entries").await.len() == 1);
    let database = stack.dynamodb();
    for row in restored {
        database.put_item().table_name("entries").set_item(Some(row)).send().await.unwrap();
    }
    journeys::rows::expire_erasures(&stack).await;
    aws.log.lock().unwrap().push(line("account-deleted", deleted));

    let command = ["entries", "erase-deleted", "--moment", "2026-11-20T17:30:00Z", "--reason", "a bad release"];
    let run = async |more: &[&str]| for_stack(&stack, &url, &[&command, more].concat()).await;
    let dry = run(&["--dry-run", "--json"]).await;
    assert_eq!((dry.code, dry.json()), (0, json!({"dry_run": true, "accounts": 1})), "{dry:?}");
    assert_eq!(run(&[]).await.code, 3, "it asks first");
    assert!(aws.lines().is_empty());
    let done = run(&["--yes", "--json"]).await;
    assert_eq!((done.code, done.json()), (0, json!({"dry_run": false, "accounts": 1})), "{done:?}");
    assert!(stack.deliver_changes().await);
    let left = stack.items("entries").await;
    assert_eq!(
        left.iter().map(|row| row["account"].as_n().unwrap().clone()).collect::<Vec<_>>(),
        [id(&ana).await.to_string()]
    );
    let stages: Vec<_> = aws.lines().iter().map(|line| text(line, "audit.stage")).collect();
    assert_eq!(stages, ["intended", "done"]);
}

#[tokio::test]
async fn an_account_that_an_import_has_created_again_keeps_its_entries_and_stays() {
    let (stack, ana, aws, url) = start().await;
    let id = id(&ana).await;
    assert_eq!(ana.clone().json(paths::RECEIVE_DATA, r#"{"old":1}"#).await.success(), true);
    aws.log.lock().unwrap().push(line("account-deleted", id));
    // The account of the import has the same id. It sends an entry a minute after the deletion of the old one.
    stack.advance(std::time::Duration::from_mins(1));
    let imported = async |began: u64| {
        let attributes = [("import_run", format!("{began:x}-0000000a")), ("import_digest", "a".to_owned())];
        for (name, value) in attributes {
            set(&stack, &ana.email, name, AttributeValue::S(value)).await;
        }
        set(&stack, &ana.email, "import_generation", AttributeValue::N("1".to_owned())).await;
    };
    imported(stack.now().seconds()).await;
    assert_eq!(ana.clone().json(paths::RECEIVE_DATA, r#"{"new":1}"#).await.success(), true);
    let reason = ["--moment", "2026-11-20T17:30:00Z", "--reason", "a bad release", "--yes", "--json"];
    let erased = for_stack(&stack, &url, &[&["entries", "erase-deleted"], &reason[..]].concat()).await;
    assert_eq!((erased.code, erased.count("accounts")), (0, 1), "{erased:?}");
    assert!(stack.deliver_changes().await);
    let left = stack.items("entries").await;
    assert_eq!(left.iter().map(|row| row["body"].as_s().unwrap().as_str()).collect::<Vec<_>>(), [r#"{"new":1}"#]);

    let restored = async || for_stack(&stack, &url, &[&["prepare-restored", "accounts"], &reason[..]].concat()).await;
    let kept = restored().await;
    assert_eq!((kept.code, kept.count("accounts_erased")), (0, 0), "{kept:?}");
    imported(stack.now().seconds() - 3600).await;
    let erased = restored().await;
    assert_eq!((erased.code, erased.count("accounts_erased")), (0, 1), "{erased:?}");
}

#[tokio::test]
async fn the_local_stack_has_nothing_to_restore() {
    let (stack, ..) = start().await;
    let erase = ["entries", "erase-deleted", "--moment", "2026-11-20T17:30:00Z", "--reason", "a test"];
    for command in [&COMMAND[..], &erase] {
        let refused = accounts(&stack, &[command, &["--yes"]].concat()).await;
        assert_eq!(refused.code, 3, "{refused:?}");
        assert!(refused.err.contains("the local stack has no backups"), "{refused:?}");
    }
}
