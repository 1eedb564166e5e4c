//! `import undo`: what counts as a use of an account, and its audit lines. One test is about
//! an update by `import FILE`.

use journeys::{Embedded, PASSWORD, Visitor, paths};
use serde_json::{Value, json};
use shared::store::operator::Operator;
use shared::{AccountKey, Email};

use super::files::{TempFile, user_with};
use crate::support::text;
use crate::{Ended, Program, table};

/// A stack, and users with ids from 1 whom an import has just created. Their hash has this service's own parameters, so
/// a login does not replace it.
async fn imported(settings: &[(&str, &str)], count: u64) -> (Embedded, Vec<Visitor>, TempFile) {
    let hashing = Embedded::start(&[]).await;
    hashing.service.visitor().register().await;
    let line = Program::of(&hashing).run(&["export", "--with-hashes", "-"]).await.json();
    let stack = Embedded::start(settings).await;
    let rows: Vec<Value> = (1..=count).map(|id| user_with(id, &json!({"password": line["password"]}))).collect();
    let (file, report) = (TempFile::of(&rows), TempFile::new("ndjson"));
    let arguments = ["import", file.path(), "--proved", "none", "--report", report.path()];
    assert_eq!(Program::of(&stack).run(&arguments).await.count("created"), count);
    let visitor = |id: u64| {
        let mut visitor = stack.service.visitor();
        visitor.email = format!("user{id}@example.com");
        visitor
    };
    let visitors = (1..=count).map(visitor).collect();
    (stack, visitors, report)
}

async fn undo(stack: &Embedded, report: &TempFile, option: &str) -> Ended {
    Program::of(stack).run(&["import", "undo", report.path(), "--reason", "wrong file", option]).await
}

async fn sign_in(visitor: &mut Visitor) {
    assert_eq!(visitor.login(PASSWORD).await.success(), true);
}

async fn sign_out(visitor: &mut Visitor) {
    assert_eq!(visitor.form(paths::LOGOUT, &[]).await.success(), true);
}

/// The users who are left.
async fn left(stack: &Embedded, visitors: &[Visitor]) -> Vec<usize> {
    let rows = table(stack).await.join("\n");
    (1..=visitors.len()).filter(|id| rows.contains(&format!("\"{}\"", visitors[id - 1].email))).collect()
}

#[tokio::test]
async fn an_undo_leaves_every_account_with_a_trace_of_its_owner() {
    let (stack, mut visitors, report) = imported(&[("NOTICES", "changes")], 5).await;
    for visitor in &mut visitors[1..] {
        sign_in(visitor).await;
    }
    visitors[1].json(paths::RECEIVE_DATA, "{}").await;
    visitors[2].with_passkey().await;
    let passkey = visitors[2].first_passkey().await;
    assert_eq!(visitors[2].delete_passkey(&passkey).await.success(), true);
    assert_eq!(visitors[3].form(paths::SEND_VERIFICATION, &[]).await.success(), true);
    for visitor in &mut visitors[1..4] {
        sign_out(visitor).await;
    }
    // The last one is still signed in.
    for option in ["--dry-run", "--yes"] {
        let undone = undo(&stack, &report, option).await;
        assert_eq!((undone.code, undone.count("deleted"), undone.count("left")), (0, 1, 4), "{undone:?}");
        assert!(undone.err.contains("A login whose session has ended shows only if"), "{undone:?}");
    }
    assert_eq!(left(&stack, &visitors).await, [2, 3, 4, 5]);
}

#[tokio::test]
async fn an_undo_leaves_an_account_that_a_known_browser_has_signed_in_to_and_out_of() {
    let (stack, mut visitors, report) = imported(&[("NOTICES", "on")], 3).await;
    for visitor in &mut visitors[1..] {
        sign_in(visitor).await;
    }
    sign_out(&mut visitors[1]).await;
    // This removes all known browsers, and keeps `browsers_since`.
    assert_eq!(visitors[2].form(paths::CLOSE_SESSION, &[("others", "on")]).await.success(), true);
    sign_out(&mut visitors[2]).await;
    let undone = undo(&stack, &report, "--yes").await;
    assert_eq!((undone.count("deleted"), undone.count("left")), (1, 2), "{undone:?}");
    assert_eq!(left(&stack, &visitors).await, [2, 3]);
}

#[tokio::test]
async fn a_login_between_the_reading_and_the_deletion_of_an_undo_keeps_the_account() {
    let (stack, mut visitors, _) = imported(&[("NOTICES", "on")], 2).await;
    let operator = Operator::new(&stack.setup(&[]));
    let key = |visitor: &Visitor| AccountKey::of(&Email::parse(&visitor.email).unwrap());
    let keys = [key(&visitors[0]), key(&visitors[1])];
    let (read, _) = operator.accounts(&keys, &[]).await.unwrap();
    sign_in(&mut visitors[1]).await;
    for (profile, is_removed) in read.iter().flatten().zip([true, false]) {
        assert_eq!(operator.undo(profile, stack.now()).await.unwrap(), is_removed);
    }
    assert_eq!(visitors[1].session().await.status, 200);
}

#[tokio::test]
async fn an_import_does_not_update_an_account_that_has_got_a_passkey_since_it_was_read() {
    let (stack, mut visitors, _) = imported(&[], 1).await;
    let operator = Operator::new(&stack.setup(&[]));
    let key = AccountKey::of(&Email::parse(&visitors[0].email).unwrap());
    let read = async || operator.accounts(std::slice::from_ref(&key), &[]).await.unwrap().0.remove(0).unwrap();
    let before = read().await;
    let mut new = before.clone();
    "De allí".clone_into(&mut new.account.name);
    assert!(before.is_untouched().unwrap());
    sign_in(&mut visitors[0]).await;
    visitors[0].with_passkey().await;
    assert!(!operator.replace(&before, &new).await.unwrap());
    assert!(!read().await.is_untouched().unwrap(), "a new passkey counts as a change of the account");
}

#[tokio::test]
async fn an_undo_needs_a_reason_and_leaves_its_intent_and_outcome_in_the_audit_log() {
    let (stack, _, report) = imported(&[], 2).await;
    let unreasoned = Program::of(&stack).run(&["import", "undo", report.path(), "--yes"]).await;
    assert_eq!((unreasoned.code, unreasoned.trail()), (3, vec![]), "{unreasoned:?}");
    assert_eq!(undo(&stack, &report, "--dry-run").await.trail(), Vec::<String>::new());
    let undone = undo(&stack, &report, "--yes").await;
    assert_eq!(undone.trail(), ["import-undone intended", "import-undone done"], "{undone:?}");
    let run: Value = serde_json::from_str(report.text().lines().next().unwrap()).unwrap();
    let lines = undone.err.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    for line in lines {
        let found = ["row", "reason", "operator"].map(|name| text(&line, name));
        assert_eq!(found, [format!("import {}", text(&run, "run")), "wrong file".to_owned(), "local".to_owned()]);
    }
}
