//! The letters that the owners of accounts get after an import and after an erasure.

use journeys::{Embedded, Visitor, paths};
use serde_json::{Value, json};

use super::files::{HASH, PASSWORD, TempFile, user, user_with};
use crate::Program;

const ACCOUNT_DELETED: &str = "Tu cuenta se ha eliminado";

/// Another hash in the format of [`HASH`].
fn other_hash() -> String {
    let last = if HASH.ends_with('a') { 'b' } else { 'a' };
    format!("{}{last}", &HASH[..HASH.len() - 1])
}

async fn import(program: &Program, rows: &[Value], report: &TempFile) {
    let file = TempFile::of(rows);
    let ended = program.run(&["import", file.path(), "--proved", "all", "--report", report.path()]).await;
    assert_eq!(ended.code, 0, "{ended:?}");
}

/// The subjects of the letters to the first users of an import, after all changes were delivered.
async fn subjects(stack: &Embedded) -> Vec<String> {
    assert!(stack.deliver_changes().await, "{:?}", stack.log().last());
    let mut subjects = Vec::new();
    for id in 1..=4 {
        let mails = stack.service.mails(&format!("user{id}@example.com")).await;
        subjects.extend(mails.iter().filter_map(|mail| mail["subject"].as_str().map(str::to_owned)));
    }
    subjects
}

/// A user of an import, signed in.
async fn signed_in(stack: &Embedded, id: u64) -> Visitor {
    let mut visitor = stack.service.visitor();
    visitor.email = format!("user{id}@example.com");
    assert_eq!(visitor.login(PASSWORD).await.success(), true);
    visitor
}

#[tokio::test]
async fn an_import_its_changes_and_its_undo_send_no_letter_and_a_deletion_afterwards_does() {
    let stack = Embedded::start(&[("NOTICES", "on"), ("VERIFY_EMAIL", "on")]).await;
    let (program, report) = (Program::of(&stack), TempFile::new("ndjson"));
    let rows = [user(1), user(2), user(3)];
    import(&program, &rows, &report).await;
    assert_eq!(subjects(&stack).await, [""; 0]);
    let changed = [
        user_with(1, &json!({"password": other_hash()})),
        user_with(2, &json!({"google_sub": "902"})),
        user_with(3, &json!({"password": null, "google_sub": "903"})),
    ];
    import(&program, &changed, &report).await;
    assert_eq!(subjects(&stack).await, [""; 0], "changes of an import");

    let undo = program.run(&["import", "undo", report.path(), "--yes", "--reason", "a trial"]).await;
    assert_eq!((undo.code, undo.count("deleted")), (0, 3), "{undo:?}");
    // Before `notices` handles the deletions, an import creates the accounts again, and one owner deletes his account.
    import(&program, &rows, &TempFile::new("ndjson")).await;
    let mut ana = signed_in(&stack, 1).await;
    assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    assert_eq!(subjects(&stack).await, [ACCOUNT_DELETED], "the undo sends no letter, the owner's deletion sends one");
    let erasures: Vec<_> =
        stack.items("accounts").await.into_iter().filter(|row| row["sk"].as_s().unwrap() == "erasure").collect();
    assert_eq!(erasures.len(), 3, "the erasure of the entries of all three is requested");
    assert!(erasures.iter().all(|row| row.contains_key("deleted_at")), "{erasures:?}");

    let erased = program.run(&["erase", "user2@example.com", "--yes", "--reason", "asked by the owner"]).await;
    assert_eq!(erased.code, 0, "{erased:?}");
    assert_eq!(subjects(&stack).await, [ACCOUNT_DELETED; 2], "an erasure by an operator sends one too");
}

#[tokio::test]
async fn the_undo_of_two_runs_sends_no_letter_even_if_notices_handles_it_late() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    for _ in 0..2 {
        let report = TempFile::new("ndjson");
        import(&program, &[user(1)], &report).await;
        let undo = program.run(&["import", "undo", report.path(), "--yes", "--reason", "a trial"]).await;
        assert_eq!((undo.code, undo.count("deleted")), (0, 1), "{undo:?}");
    }
    assert_eq!(subjects(&stack).await, [""; 0]);
}
