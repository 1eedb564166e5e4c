//! What a run says about itself when it is not the only one: its audit lines, and imports that overlap.

use journeys::Embedded;
use serde_json::{Value, json};

use super::files::{TempFile, user_with, users};
use crate::{Ended, Program, table};

/// The descriptions in the audit lines of a run, each after its stage.
fn audited(ended: &Ended) -> Vec<String> {
    let lines = ended.err.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let lines = lines.filter(|line| line["audit.event"] == "users-imported");
    lines.map(|line| format!("{} {}", line["audit.stage"].as_str().unwrap(), line["row"].as_str().unwrap())).collect()
}

#[tokio::test]
async fn an_import_writes_its_counts_and_the_id_of_its_run_to_the_audit_log() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    let rows = |name: &str| {
        let mut rows = users(3);
        rows.push(user_with(4, &json!({"email": "nobody"})));
        rows[1]["name"] = json!(name);
        TempFile::of(&rows)
    };
    let file = rows("Ana");
    let arguments = ["import", file.path(), "--proved", "all"];
    let dry = program.run(&[&arguments[..], &["--dry-run"]].concat()).await;
    assert_eq!(audited(&dry), [""; 0], "a dry run changes nothing");
    let first = program.run(&arguments).await;
    let second = program.run(&["import", rows("Eva").path(), "--proved", "all"]).await;
    for (ended, expected) in [
        (first, "4 rows, 3 created, 0 updated, 0 unchanged, 0 left, 1 refused"),
        (second, "4 rows, 0 created, 1 updated, 2 unchanged, 0 left, 1 refused"),
    ] {
        let json = ended.json();
        let run = json["run"].as_str().unwrap();
        assert_eq!(audited(&ended), [format!("intended import {run}"), format!("done import {run}: {expected}")]);
    }
}

#[tokio::test]
async fn the_accounts_without_a_proved_address_or_a_password_are_counted_in_every_run() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    let rows = |name: &str| {
        TempFile::of(&[
            user_with(1, &json!({"email_verified": 0})),
            user_with(2, &json!({"password": null})),
            user_with(3, &json!({"email_verified": 0, "password": null, "name": name})),
        ])
    };
    for (name, option) in [("Ana", "--dry-run"), ("Ana", ""), ("Ana", "--dry-run"), ("Ana", ""), ("Eva", "")] {
        let file = rows(name);
        let arguments = ["import", file.path(), "--proved", "email_verified", option];
        let ended = program.run(&arguments.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>()).await;
        assert_eq!((ended.count("unproved"), ended.count("without_password")), (2, 2), "{name} {option}: {ended:?}");
        assert!(ended.err.contains("unproved: when the owner"), "{ended:?}");
    }
    // One of them proves the address here.
    let mut ana = stack.service.visitor();
    ana.email = "user1@example.com".to_owned();
    let token = ana.reset_token().await;
    assert_eq!(ana.reset(&token, journeys::PASSWORD).await.success(), true);
    let ended = program.run(&["import", rows("Eva").path(), "--proved", "email_verified"]).await;
    assert_eq!((ended.count("unproved"), ended.count("unchanged")), (1, 3), "{ended:?}");
}

#[tokio::test]
async fn imports_of_one_file_at_the_same_time_refuse_no_row_and_tell_who_created_it() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    let rows: Vec<Value> = users(150)
        .into_iter()
        .chain((151..=160).map(|id| user_with(id, &json!({"google_sub": format!("s{id}")}))))
        .collect();
    let file = TempFile::of(&rows);
    let arguments = ["import", file.path(), "--proved", "all"];
    let (one, other) = tokio::join!(program.run(&arguments), program.run(&arguments));
    let both = |name| one.count(name) + other.count(name);
    assert_eq!((one.code, other.code), (0, 0), "{one:?} {other:?}");
    assert_eq!((both("created"), both("unchanged"), both("refused"), both("left")), (160, 160, 0, 0));
    assert_eq!(table(&stack).await.iter().filter(|row| row.contains("import_digest")).count(), 160);
}
