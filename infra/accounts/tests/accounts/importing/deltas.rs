//! What a later import says about the accounts of an earlier one, and what an import says about its file.

use journeys::{Embedded, paths};
use serde_json::{Value, json};

use super::files::{PASSWORD, TempFile, user, user_with, users};
use crate::{Ended, Program};

/// A stack with three imported accounts. The owner of the second one has deleted it.
async fn with_a_deleted_account() -> Embedded {
    let stack = Embedded::start(&[]).await;
    assert_eq!(import(&stack, &users(3), &[]).await.0.count("created"), 3);
    let mut ana = stack.service.visitor();
    ana.email = "user2@example.com".to_owned();
    assert_eq!(ana.login(PASSWORD).await.success(), true);
    assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    stack
}

/// Imports some rows. Also returns the id, outcome and code of each remark in the report.
async fn import(stack: &Embedded, rows: &[Value], options: &[&str]) -> (Ended, Vec<String>) {
    let (file, report) = (TempFile::of(rows), TempFile::new("ndjson"));
    let arguments = ["import", file.path(), "--proved", "email_verified", "--report", report.path()];
    let ended = Program::of(stack).run(&[&arguments[..], options].concat()).await;
    let lines = report.text();
    let lines = lines.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap());
    let of = |line: Value| {
        format!("{} {} {}", line["id"], line["outcome"].as_str().unwrap(), line["code"].as_str().unwrap())
    };
    (ended, lines.map(of).collect())
}

#[tokio::test]
async fn a_user_whose_account_may_have_been_deleted_here_is_reported_when_it_comes_back() {
    let stack = with_a_deleted_account().await;
    for (dry, created) in [(&["--dry-run"][..], 2), (&[], 2)] {
        let (ended, codes) = import(&stack, &users(4), dry).await;
        assert_eq!((ended.code, ended.count("created"), ended.count("unchanged")), (0, created, 2), "{ended:?}");
        assert_eq!(codes, ["2 changed maybe-deleted"], "the user 4 is new");
    }
}

#[tokio::test]
async fn a_user_whose_account_may_have_been_deleted_here_is_left_out_on_request() {
    let stack = with_a_deleted_account().await;
    for _ in 0..2 {
        let (ended, codes) = import(&stack, &users(3), &["--without-deleted"]).await;
        assert_eq!((ended.code, ended.count("created"), ended.count("left")), (0, 0, 1), "{ended:?}");
        assert_eq!(codes, ["2 left maybe-deleted"]);
    }
    let mut ana = stack.service.visitor();
    ana.email = "user2@example.com".to_owned();
    assert_eq!(ana.login(PASSWORD).await.success(), false);
}

#[tokio::test]
async fn users_of_an_import_that_was_undone_or_did_not_reach_its_end_come_back_without_a_remark() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    let (file, report) = (TempFile::of(&users(60)), TempFile::new("ndjson"));
    let arguments = ["import", file.path(), "--proved", "all", "--report", report.path(), "--without-deleted"];
    let denied = journeys::Failure::Answer(400, r#"{"__type":"AccessDeniedException"}"#.to_owned());
    stack.table.fail_from(30, denied);
    assert_eq!(program.run(&arguments).await.code, 1);
    stack.table.heal();
    let again = program.run(&arguments).await;
    assert_eq!((again.code, again.count("left"), again.count("rows")), (0, 0, 60), "{again:?}");
    let undo = ["import", "undo", report.path(), "--yes", "--reason", "wrong file"];
    assert_eq!(program.run(&undo).await.count("deleted"), 60);
    assert_eq!(program.run(&arguments).await.count("created"), 60);
}

#[tokio::test]
async fn an_avatar_that_the_map_changes_is_reported() {
    let stack = Embedded::start(&[]).await;
    let map = TempFile::with("csv", "http://old.example/mine.png,07\n");
    let rows = [user_with(1, &json!({"url_image": "http://old.example/mine.png"})), user(2)];
    let (ended, codes) = import(&stack, &rows, &["--avatar-map", map.path()]).await;
    assert_eq!((ended.code, ended.count("with_changes"), codes), (0, 1, vec!["1 changed avatar-mapped".to_owned()]));
}

#[tokio::test]
async fn gaps_in_the_ids_are_noted_once_and_unproved_addresses_with_their_meaning() {
    let stack = Embedded::start(&[]).await;
    let rows = [user(3), user_with(7, &json!({"email_verified": 0})), user(9)];
    let (ended, codes) = import(&stack, &rows, &[]).await;
    assert_eq!((ended.code, codes), (0, Vec::new()), "{ended:?}");
    assert_eq!(ended.err.matches("ids that no row has, below the largest id: 6.").count(), 1, "{ended:?}");
    assert!(ended.err.contains("signs in with Google, the password is removed"), "{ended:?}");
    let (ended, _) = import(&stack, &users(1), &[]).await;
    assert_eq!(ended.notes(), "", "no gap, and no unproved address");
}

#[tokio::test]
async fn a_user_with_another_address_than_at_the_last_import_is_told_apart_and_moved_on_request() {
    let stack = Embedded::start(&[]).await;
    assert_eq!(import(&stack, &users(3), &[]).await.0.count("created"), 3);
    // The user 2 has another address in the other system, and the user 3 has changed hers here.
    let mut eva = stack.service.visitor();
    eva.email = "user3@example.com".to_owned();
    eva.login(PASSWORD).await;
    eva.moved_to("eva@example.com").await;
    let renamed = json!({"name": "Otra", "email": "user3@example.com"});
    let rows = [user(1), user_with(2, &json!({"email": "nueva@example.com"})), user_with(3, &renamed)];
    for dry in [&["--dry-run"][..], &[]] {
        let (ended, codes) = import(&stack, &rows, dry).await;
        assert_eq!(
            (ended.code, codes),
            (2, vec!["2 refused address-changed".to_owned(), "3 left changed-here".to_owned()])
        );
    }
    for (dry, updated, unchanged) in
        [(&["--move-addresses", "--dry-run"][..], 1, 1), (&["--move-addresses"], 1, 1), (&[], 0, 2)]
    {
        let (ended, codes) = import(&stack, &rows, dry).await;
        assert_eq!((ended.code, codes), (0, vec!["3 left changed-here".to_owned()]), "{ended:?}");
        assert_eq!((ended.count("updated"), ended.count("unchanged")), (updated, unchanged), "{ended:?}");
    }
    // Back again, and an address that somebody else has by now.
    let (ended, _) = import(&stack, &users(2), &["--move-addresses"]).await;
    assert_eq!((ended.code, ended.count("updated")), (0, 1), "{ended:?}");
    let taken = [user(1), user_with(2, &json!({"email": "eva@example.com"}))];
    let (ended, codes) = import(&stack, &taken, &["--move-addresses"]).await;
    assert_eq!((ended.code, codes.len()), (2, 1), "{ended:?}");
    for (email, is_open) in [("nueva@example.com", false), ("user2@example.com", true), ("eva@example.com", true)] {
        let mut visitor = stack.service.visitor();
        visitor.email = email.to_owned();
        assert_eq!(visitor.login(PASSWORD).await.success(), is_open, "{email}");
    }
    assert_eq!(Program::of(&stack).run(&["doctor", "--data"]).await.code, 0);
}
