//! Imports that are killed, interrupted, or run while people register and log in.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::join_all;
use journeys::{Embedded, Failure};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};

use super::files::{PASSWORD, TempFile, user_with, users};
use crate::doctor::damage;
use crate::{Ended, Program, table};

/// The answer to an operator without the permission.
fn denied() -> Failure {
    let body = r#"{"__type":"com.amazon.coral.service#AccessDeniedException","message":"not authorized"}"#;
    Failure::Answer(400, body.to_owned())
}

/// Rows of all kinds: with identities, with a fast hash, and refused ones.
fn rows() -> Vec<Value> {
    let mut rows = users(45);
    rows.extend((46..=55).map(|id| user_with(id, &json!({"google_sub": format!("s{id}")}))));
    // Only one, because the import computes a hash of full cost for it.
    rows.push(user_with(56, &json!({"password": "f85a3240fd9c55b12427db31f9c453e2"})));
    rows.push(user_with(57, &json!({"email": "nobody"})));
    for id in [2, 30, 50] {
        rows[id - 1]["url_image"] = json!("http://old.example/mine.png");
    }
    rows
}

/// The lines of the last run of a report without its id, sorted as text.
fn reported(report: &TempFile) -> Vec<String> {
    let text = report.text();
    let lines: Vec<&str> = text.lines().collect();
    let head = lines.iter().rposition(|line| line.starts_with("{\"run\"")).unwrap();
    let of_row = |line: &&str| line.split_once(",\"run\"").unwrap().0.to_owned();
    let mut rows: Vec<String> = lines[head + 1..].iter().map(of_row).collect();
    rows.sort();
    rows
}

#[tokio::test]
async fn an_import_that_is_killed_and_run_again_gives_the_rows_and_the_report_of_an_undisturbed_one() {
    let (file, report) = (TempFile::of(&rows()), TempFile::new("ndjson"));
    let arguments = ["import", file.path(), "--proved", "email_verified", "--report", report.path()];
    let undisturbed = Embedded::start(&[]).await;
    assert_eq!(Program::of(&undisturbed).run(&arguments).await.count("created"), 56);
    let expected = table(&undisturbed).await;
    let expected_report = reported(&report);
    assert_eq!(expected_report.len(), 4, "{expected_report:?}");

    // A run makes about 62 calls. The program is killed at twenty points between the first and the last.
    for calls in (0..20).map(|point| 1 + point * 3) {
        let stack = Embedded::start(&[]).await;
        let program = Program::of(&stack);
        let mut child = program.start(&arguments);
        let mut seen = 0;
        while seen < calls && child.try_wait().unwrap().is_none() {
            seen += stack.table.calls().len();
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        child.kill().await.unwrap();
        let ended = program.run(&arguments).await;
        assert_eq!((ended.code, ended.count("rows"), ended.count("refused")), (2, 57, 1), "{ended:?}");
        assert_eq!(table(&stack).await, expected, "killed after {calls} calls");
        assert_eq!(reported(&report), expected_report, "killed after {calls} calls");
    }
}

/// Starts a command, and interrupts it while its first call of `operation` is throttled. Gives how it ended.
async fn interrupted(stack: &Embedded, arguments: &[&str], operation: &str) -> Ended {
    drop(stack.table.calls());
    stack.table.fail_call_of(operation, 0, Failure::Throttle, true);
    let mut child = Program::of(stack).start(arguments);
    while stack.table.calls().iter().all(|call| call != operation) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let id = child.id().unwrap().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut err = String::new();
    while let Some(line) = lines.next_line().await.unwrap() {
        if line.starts_with("stopping after the writes in progress") {
            stack.table.heal();
        }
        err += &(line + "\n");
    }
    let ended = Ended::of(&child.wait_with_output().await.unwrap());
    Ended { err, ..ended }
}

#[tokio::test]
async fn an_interrupted_import_ends_the_writes_under_way_and_says_how_to_go_on() {
    let stack = Embedded::start(&[]).await;
    let file = TempFile::of(&users(300));
    let arguments = ["import", file.path(), "--proved", "all"];
    let ended = interrupted(&stack, &arguments, "TransactWriteItems").await;
    assert_eq!((ended.code, ended.out.as_str()), (1, ""), "{ended:?}");
    let done = table(&stack).await.len() as u64 - 1;
    assert!((1..300).contains(&done), "{done}");
    let text = format!("interrupted after {done} of 300 rows. Run the same command again to go on; with a report");
    assert!(ended.err.contains(&text), "{ended:?}");
    let again = Program::of(&stack).run(&arguments).await;
    assert_eq!((again.code, again.count("created"), again.count("unchanged")), (0, 300 - done, done));
}

#[tokio::test]
async fn an_interrupted_export_says_how_to_go_on_and_the_next_run_completes_it() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    let users = TempFile::of(&users(40));
    assert_eq!(program.run(&["import", users.path(), "--proved", "all"]).await.code, 0);
    let file = TempFile::new("ndjson");
    let ended = interrupted(&stack, &["export", file.path()], "Scan").await;
    assert_eq!((ended.code, ended.out.as_str()), (1, ""), "{ended:?}");
    let done = file.text().lines().count();
    assert!(done < 40, "{done}");
    let text = format!("interrupted after {done} lines. Run the same command again to go on\n");
    assert!(ended.err.ends_with(&text), "{ended:?}");
    let again = program.run(&["export", file.path()]).await;
    assert_eq!((again.code, again.count("lines")), (0, 40), "{again:?}");
    let whole: BTreeSet<_> = program.run(&["export", "-"]).await.out.lines().map(str::to_owned).collect();
    assert_eq!(file.text().lines().map(str::to_owned).collect::<BTreeSet<_>>(), whole);

    let ended = interrupted(&stack, &["export", "-"], "Scan").await;
    assert!(ended.code == 1 && ended.err.contains("What was written is incomplete"), "{ended:?}");
}

#[tokio::test]
async fn an_undo_that_is_interrupted_or_fails_says_how_to_go_on_and_the_next_run_completes_it() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    let (users, report) = (TempFile::of(&users(40)), TempFile::new("ndjson"));
    let import = ["import", users.path(), "--proved", "all", "--report", report.path()];
    assert_eq!(program.run(&import).await.code, 0);
    let undo = ["import", "undo", report.path(), "--yes", "--reason", "wrong file"];
    let ended = interrupted(&stack, &undo, "Scan").await;
    assert_eq!((ended.code, ended.out.as_str()), (1, ""), "{ended:?}");
    assert!(ended.err.ends_with("interrupted after 0 accounts. Run the same command again to go on\n"), "{ended:?}");

    stack.table.fail_from(60, denied());
    let failed = program.run(&undo).await;
    stack.table.heal();
    assert!(failed.code == 1 && failed.err.contains("Run the same command again to go on"), "{failed:?}");
    let left = table(&stack).await.iter().filter(|row| row.contains("example.com")).count() as u64;
    assert!((1..40).contains(&left), "{left}");
    let again = program.run(&undo).await;
    assert_eq!((again.code, again.count("deleted")), (0, left));
}

#[tokio::test]
async fn an_interrupted_undo_begins_no_further_deletion() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    let (users, report) = (TempFile::of(&users(60)), TempFile::new("ndjson"));
    let import = ["import", users.path(), "--proved", "all", "--report", report.path()];
    assert_eq!(program.run(&import).await.code, 0);
    let undo = ["import", "undo", report.path(), "--yes", "--reason", "wrong file"];
    let ended = interrupted(&stack, &undo, "TransactWriteItems").await;
    let left = table(&stack).await.iter().filter(|row| row.contains("example.com")).count();
    // Those under way end.
    assert!(left >= 60 - 20, "{left}: {ended:?}");
    let text = format!("interrupted after {} accounts. Run the same command again to go on\n", 60 - left);
    assert!(ended.code == 1 && ended.err.ends_with(&text), "{ended:?}");
    assert_eq!(program.run(&undo).await.count("deleted"), left as u64);
}

#[tokio::test]
async fn an_interrupted_doctor_ends_the_repairs_under_way_and_says_how_to_go_on() {
    let stack = Embedded::start(&[]).await;
    let damages = damage(&stack).await;
    let safe = damages.iter().filter(|(.., is_safe)| *is_safe).count();
    let fix = ["doctor", "--data", "--fix", "--yes", "--reason", "after a restore"];
    let ended = interrupted(&stack, &fix, "UpdateItem").await;
    assert_eq!((ended.code, ended.json().as_array().unwrap().len()), (1, 2), "the checks of the table: {ended:?}");
    let done = ended.trail().iter().filter(|line| line.ends_with(" done")).count();
    assert!((1..safe).contains(&done), "{ended:?}");
    assert!(
        ended.err.ends_with(&format!("interrupted after {done} rows. Run the same command again to go on\n")),
        "{ended:?}"
    );
    let again = Program::of(&stack).run(&fix).await;
    assert_eq!(again.out.matches("Repaired: 1.").count(), safe - done, "{again:?}");
}

#[tokio::test]
async fn an_import_waits_until_no_function_can_give_its_ids_to_new_users() {
    let stack = Embedded::start(&[]).await;
    stack.service.visitor().register().await;
    let file = TempFile::of(&users(60));
    drop(stack.table.calls());
    let mut child = Program::of(&stack).start(&["import", file.path(), "--proved", "all"]);
    let mut calls = Vec::new();
    while !calls.contains(&"UpdateItem".to_owned()) {
        calls.extend(stack.table.calls());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(tokio::time::timeout(Duration::from_millis(500), child.wait()).await.is_err(), "it does not wait");
    child.start_kill().unwrap();
    let ended = Ended::of(&child.wait_with_output().await.unwrap());
    assert!(ended.err.contains(" s: until then a function may give an id up to 60 to a new user"), "{ended:?}");
    assert!(stack.table.calls().is_empty());
    // A new user gets an id above those of the file, once the lease is over.
    stack.advance(Duration::from_mins(1));
    let mut eva = stack.service.visitor();
    eva.register().await;
    assert_eq!(eva.login(journeys::PASSWORD).await.user("id"), 61);
}

#[tokio::test]
async fn people_register_and_log_in_while_an_import_runs_and_lose_nothing() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    let file = TempFile::of(&users(400));
    let running = program.start(&["import", file.path(), "--proved", "all", "--rate", "400"]);
    while stack.table.calls().iter().all(|call| call != "TransactWriteItems") {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let registered = join_all((0..20).map(|_| async {
        let mut visitor = stack.service.visitor();
        assert_eq!(visitor.register().await.success(), true);
        visitor.login(journeys::PASSWORD).await.user("id").as_u64().unwrap()
    }));
    let (mut ids, imported) = tokio::join!(registered, running.wait_with_output());
    let imported = Ended::of(&imported.unwrap());
    assert_eq!((imported.code, imported.count("created")), (0, 400), "{imported:?}");
    assert!(ids.iter().all(|id| *id > 400), "{ids:?}");
    let mut ana = stack.service.visitor();
    ana.email = "user400@example.com".to_owned();
    assert_eq!(ana.login(PASSWORD).await.user("id"), 400);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 20);
}

#[tokio::test]
async fn an_import_whose_table_fails_has_reported_every_row_that_it_wrote() {
    let stack = Embedded::start(&[]).await;
    let rows: Vec<Value> =
        (1..=60).map(|id| user_with(id, &json!({"url_image": "http://old.example/mine.png"}))).collect();
    let (file, report) = (TempFile::of(&rows), TempFile::new("ndjson"));
    stack.table.fail_from(30, denied());
    let arguments = ["import", file.path(), "--proved", "all", "--report", report.path()];
    assert_eq!(Program::of(&stack).run(&arguments).await.code, 1);
    let written = table(&stack).await.len() - 1;
    assert!((1..60).contains(&written), "{written}");
    assert_eq!(reported(&report).len(), written);
}

#[tokio::test]
async fn an_import_whose_table_fails_says_so_and_can_be_run_again() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    let file = TempFile::of(&users(60));
    let arguments = ["import", file.path(), "--proved", "all"];
    stack.table.fail_from(30, denied());
    let ended = program.run(&arguments).await;
    assert!(ended.code == 1 && ended.err.contains("Run the same command again"), "{ended:?}");
    stack.table.heal();
    let again = program.run(&arguments).await;
    assert_eq!((again.code, again.count("created") + again.count("unchanged")), (0, 60));
}
