//! Imports, repeated imports, `import undo`, and exports.

mod bad_rows;
mod columns;
mod deltas;
mod dialects;
mod exporting;
pub(crate) mod files;
mod forced_orders;
mod ids;
mod interrupted;
mod legacy_hashes;
mod letters;
mod overlapping;
mod undoing;

use std::collections::BTreeSet;

use journeys::{Embedded, Failure, Visitor, paths};
use serde_json::{Value, json};

use self::files::{HASH, PASSWORD, TempFile, user, user_with, users};
use crate::{Ended, Program, table};

/// The counts of a summary.
fn counts(ended: &Ended) -> Value {
    let mut summary = ended.json();
    let members = summary.as_object_mut().unwrap();
    members.retain(|name, _| name != "run" && name != "dry_run");
    summary
}

/// A user who registered after an import of the id 1000. Otherwise the next import would wait for the end of a lease.
async fn registered_after_an_import(stack: &Embedded) -> Visitor {
    assert_eq!(import(&Program::of(stack), &[user(1_000)]).await.code, 0);
    stack.service.visitor().registered().await
}

async fn import(program: &Program, rows: &[Value]) -> Ended {
    program.run(&["import", TempFile::of(rows).path(), "--proved", "email_verified"]).await
}

#[tokio::test]
async fn a_dry_run_writes_nothing_and_predicts_the_run() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    let eva = registered_after_an_import(&stack).await;
    let mut rows = users(120);
    rows.extend([
        user_with(121, &json!({"email": eva.email})),
        user_with(122, &json!({"email": "no address"})),
        user_with(123, &json!({"url_image": "http://old.example/mine.png", "name": " Ana "})),
        user_with(7, &json!({"email": "seven@example.com"})),
        user_with(124, &json!({"google_sub": "124"})),
        user_with(125, &json!({"password": "f85a3240fd9c55b12427db31f9c453e2"})),
    ]);
    let before = table(&stack).await;
    let file = TempFile::of(&rows);
    let reports = [TempFile::new("ndjson"), TempFile::new("ndjson")];
    let mut ended = Vec::new();
    for (report, dry) in reports.iter().zip([&["--dry-run"][..], &[]]) {
        let arguments = ["import", file.path(), "--proved", "email_verified", "--report", report.path()];
        ended.push(program.run(&[&arguments[..], dry].concat()).await);
        if dry.is_empty() {
            assert!(table(&stack).await.len() > before.len());
        } else {
            assert_eq!(table(&stack).await, before);
        }
    }
    assert_eq!((ended[0].code, ended[1].code), (2, 2), "{ended:?}");
    assert_eq!(counts(&ended[0]), counts(&ended[1]));
    assert_eq!((ended[1].count("created"), ended[1].count("refused"), ended[1].count("with_changes")), (122, 4, 122));
    let of_run = |line: &str, ended: &Ended| {
        let run = format!(",\"run\":{}}}", ended.json()["run"]);
        line.strip_suffix(&run).unwrap_or_else(|| panic!("{line} does not name its run")).to_owned()
    };
    let lines = |report: &TempFile, ended: &Ended| -> BTreeSet<_> {
        report.text().lines().skip(1).map(|line| of_run(line, ended)).collect()
    };
    assert_eq!(lines(&reports[0], &ended[0]), lines(&reports[1], &ended[1]));
    assert!(!reports[1].text().contains(HASH) && !reports[1].text().contains("f85a3240"));
}

#[tokio::test]
async fn an_imported_user_logs_in_with_the_old_password_whose_hash_is_then_replaced() {
    let stack = Embedded::start(&[]).await;
    assert_eq!(import(&Program::of(&stack), &[user(41)]).await.code, 0);
    let mut ana = stack.service.visitor();
    ana.email = "user41@example.com".to_owned();
    for _ in 0..2 {
        let answer = ana.login(PASSWORD).await;
        assert_eq!(answer.user("id"), 41);
        assert_eq!(answer.user("name"), "Usuaria 41");
        assert_eq!(answer.user("url_image"), format!("{}/assets/avatars/03.jpeg", journeys::FRONT_END));
        let rows = table(&stack).await.join("\n");
        assert!(!rows.contains(HASH) && rows.contains("$argon2id$"));
    }
    assert_eq!(ana.login("Passw0rd n").await.success(), false);
}

#[tokio::test]
async fn new_users_get_ids_above_the_imported_ones() {
    let stack = Embedded::start(&[]).await;
    let refused = user_with(9_000_000, &json!({"email": "no address"}));
    assert_eq!(import(&Program::of(&stack), &[user(7), user(5_000), refused]).await.code, 2);
    let mut eva = stack.service.visitor();
    eva.register().await;
    assert_eq!(eva.login(journeys::PASSWORD).await.user("id"), 5_001);
}

#[tokio::test]
async fn a_second_run_of_the_same_file_writes_nothing() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    let rows: Vec<Value> = users(60)
        .into_iter()
        .chain([
            user_with(61, &json!({"google_sub": "61"})),
            user_with(62, &json!({"password": "f85a3240fd9c55b12427db31f9c453e2"})),
        ])
        .collect();
    assert_eq!(import(&program, &rows).await.count("created"), 62);
    let mut ana = stack.service.visitor();
    ana.email = "user1@example.com".to_owned();
    ana.login(PASSWORD).await;
    let before = table(&stack).await;
    drop(stack.table.calls());
    let again = import(&program, &rows).await;
    assert_eq!((again.code, again.count("unchanged"), again.count("rows")), (0, 62, 62));
    assert_eq!(table(&stack).await, before);
    let calls: BTreeSet<String> = stack.table.calls().into_iter().collect();
    let reads = ["BatchGetItem", "DescribeTable", "GetItem", "Scan"];
    assert!(calls.iter().all(|call| reads.contains(&&**call)), "{calls:?}");
}

#[tokio::test]
async fn a_row_that_changed_in_the_file_is_updated_unless_its_account_changed_here() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    import(&program, &users(3)).await;
    let mut ana = stack.service.visitor();
    ana.email = "user2@example.com".to_owned();
    ana.login(PASSWORD).await;
    assert_eq!(ana.form(paths::USER_CONFIG, &[("name", "De aquí")]).await.success(), true);

    let renamed: Vec<Value> =
        (1..=3).map(|id| user_with(id, &json!({"name": "De allí", "google_sub": format!("9{id}")}))).collect();
    let report = TempFile::new("ndjson");
    let file = TempFile::of(&renamed);
    let ended = program.run(&["import", file.path(), "--proved", "all", "--report", report.path()]).await;
    assert_eq!((ended.code, ended.count("updated"), ended.count("left")), (0, 2, 1), "{ended:?}");
    assert!(report.text().contains(r#""id":2,"outcome":"left","code":"changed-here""#), "{}", report.text());
    let names: Vec<String> =
        stack.items("accounts").await.iter().filter_map(|item| Some(item.get("name")?.as_s().ok()?.clone())).collect();
    assert_eq!(names.iter().filter(|name| *name == "De allí").count(), 2);
    assert!(names.contains(&"De aquí".to_owned()));
    assert_eq!(import(&program, &renamed).await.count("unchanged"), 2);
}

#[tokio::test]
async fn a_changed_password_in_the_file_ends_the_sessions_of_the_account() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    // This hash is as strong as this service's own, so a login leaves it.
    let eva = registered_after_an_import(&stack).await;
    let export = program.run(&["export", "--with-hashes", "-"]).await;
    let lines = export.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let line = lines.into_iter().find(|line| line["email"] == *eva.email).unwrap();
    let row = user_with(50, &json!({"password": line["password"], "email": "ana@example.com"}));
    assert_eq!(import(&program, std::slice::from_ref(&row)).await.count("created"), 1);
    let mut ana = stack.service.visitor();
    ana.email = "ana@example.com".to_owned();
    assert_eq!(ana.login(journeys::PASSWORD).await.success(), true);
    assert_eq!(ana.session().await.status, 200);
    let row = user_with(50, &json!({"password": HASH, "email": "ana@example.com"}));
    assert_eq!(import(&program, &[row]).await.count("updated"), 1);
    assert_eq!(ana.session().await.status, 401);
    assert_eq!(ana.login(PASSWORD).await.success(), true);
}

#[tokio::test]
async fn an_account_that_somebody_registered_here_is_left_alone() {
    let stack = Embedded::start(&[]).await;
    let eva = registered_after_an_import(&stack).await;
    let before = table(&stack).await;
    let row = user_with(80, &json!({"email": eva.email.to_uppercase()}));
    let ended = import(&Program::of(&stack), &[row]).await;
    assert_eq!((ended.code, ended.count("refused")), (2, 1));
    let after = table(&stack).await;
    assert!(before.iter().filter(|row| !row.contains("counter")).all(|row| after.contains(row)));
}

#[tokio::test]
async fn undo_deletes_what_the_runs_created_and_nobody_has_touched() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    let report = TempFile::new("ndjson");
    import(&program, &[user(1)]).await;
    let linked = [6, 7].map(|id| user_with(id, &json!({"google_sub": format!("6{id}")})));
    let rows: Vec<Value> = users(5).into_iter().chain(linked).collect();
    let file = TempFile::of(&rows);
    let ended = program.run(&["import", file.path(), "--proved", "email_verified", "--report", report.path()]).await;
    assert_eq!((ended.count("created"), ended.count("unchanged")), (6, 1));
    let mut ana = stack.service.visitor();
    ana.email = "user3@example.com".to_owned();
    ana.login(PASSWORD).await;

    // A login with Google leaves the profile as it is.
    let mut eva = stack.service.visitor();
    let answer = eva.google(json!({"sub": "67", "email": "user7@example.com"})).await;
    assert_eq!(answer.json()["user"]["id"], 7, "{answer:?}");

    assert_eq!(
        program.run(&["import", "undo", report.path(), "--reason", "wrong file"]).await.code,
        3,
        "without a terminal nothing is asked"
    );
    let dry = program.run(&["import", "undo", report.path(), "--reason", "wrong file", "--dry-run"]).await;
    assert_eq!((dry.count("deleted"), dry.count("left")), (4, 2));
    let undone = program.run(&["import", "undo", report.path(), "--reason", "wrong file", "--yes"]).await;
    assert_eq!((undone.code, undone.count("deleted"), undone.count("left")), (0, 4, 2));
    let rows = table(&stack).await.join("\n");
    for (id, is_left) in [(1, true), (2, false), (3, true), (4, false), (5, false), (6, false), (7, true)] {
        assert_eq!(rows.contains(&format!("user{id}@example.com")), is_left, "{id}");
    }
    assert!(!rows.contains("google#66"));
    assert_eq!(eva.session().await.status, 200);
}

#[tokio::test]
async fn an_export_that_is_imported_into_empty_tables_is_the_same_export() {
    let (stack, other) = (Embedded::start(&[]).await, Embedded::start(&[]).await);
    let mut rows = users(30);
    rows.push(user_with(31, &json!({"google_sub": "31", "password": null, "created_at": null})));
    rows.push(user_with(32, &json!({"password": "f85a3240fd9c55b12427db31f9c453e2", "email_verified": 0})));
    import(&Program::of(&stack), &rows).await;
    stack.service.visitor().register().await;
    let sorted = |export: &Ended| export.out.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let first = Program::of(&stack).run(&["export", "--with-hashes", "-"]).await;
    assert_eq!(sorted(&first).len(), 33);
    let file = TempFile::with("ndjson", &first.out);
    let ended = Program::of(&other).run(&["import", file.path(), "--proved", "email_verified"]).await;
    assert_eq!((ended.code, ended.count("created"), ended.count("with_changes")), (0, 33, 0), "{ended:?}");
    let second = Program::of(&other).run(&["export", "--with-hashes", "-"]).await;
    assert_eq!(sorted(&first), sorted(&second));
    let without = Program::of(&stack).run(&["export", "-"]).await;
    assert!(!without.out.contains('$') && sorted(&without).len() == 33);
}

#[tokio::test]
async fn a_password_that_bcrypt_read_only_in_part_keeps_its_hash() {
    let stack = Embedded::start(&[]).await;
    // PHP made this hash of `A1` and 80 letters `x`.
    let hash = "$2y$04$DUJxlR4XppWnqE1yGjwGFu1HYIk.6OnAMOR7KYIsDODwUeCMhulIG";
    import(&Program::of(&stack), &[user_with(1, &json!({"password": hash}))]).await;
    let mut ana = stack.service.visitor();
    ana.email = "user1@example.com".to_owned();
    for length in [80, 70, 90] {
        assert_eq!(ana.login(&format!("A1{}", "x".repeat(length))).await.success(), true, "{length}");
        assert!(table(&stack).await.join("\n").contains(hash));
    }
}

#[tokio::test]
async fn two_users_with_one_password_have_different_wrapped_hashes() {
    let stack = Embedded::start(&[]).await;
    let md5 = json!({"password": "f85a3240fd9c55b12427db31f9c453e2"});
    import(&Program::of(&stack), &[user_with(1, &md5), user_with(2, &md5)]).await;
    let items = stack.items("accounts").await;
    let hashes: BTreeSet<&String> = items.iter().filter_map(|item| item.get("password")?.as_s().ok()).collect();
    assert_eq!(hashes.len(), 2);
    for id in 1..=2 {
        let mut user = stack.service.visitor();
        user.email = format!("user{id}@example.com");
        assert_eq!(user.login(PASSWORD).await.success(), true);
    }
}

#[tokio::test]
async fn an_account_is_found_by_address_id_and_identity() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    import(&program, &[user_with(77, &json!({"google_sub": "sub-77"}))]).await;
    for who in ["user77@example.com", " USER77@example.com", "77", "google:sub-77"] {
        let found = program.run(&["find", who]).await;
        assert_eq!(
            (found.code, &found.json()["id"], &found.json()["password_hash"]),
            (0, &json!(77), &json!("bcrypt"))
        );
        assert!(!found.out.contains("$2y$"));
    }
    for who in ["78", "google:sub-78", "user78@example.com"] {
        assert_eq!(program.run(&["find", who]).await.code, 4);
    }
    assert_eq!(program.run(&["find", "nobody"]).await.code, 3);
}

#[tokio::test]
async fn an_export_that_fails_goes_on_and_is_complete() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    // A page has at most 1 MB, so these entries need several.
    let text = "ñ".repeat(60_000);
    for request in 0..4 {
        let entries: Vec<Value> = (0..15).map(|index| json!({"number": request * 15 + index, "text": text})).collect();
        let answer = stack.service.visitor().json(paths::RECEIVE_DATA, Value::Array(entries).to_string()).await;
        assert_eq!(answer.success(), true);
    }
    let (whole, parts) = (TempFile::new("ndjson"), TempFile::new("ndjson"));
    let ended = program.run(&["export", "--entries", whole.path()]).await;
    assert_eq!((ended.code, ended.count("lines")), (0, 60), "{ended:?}");

    stack.table.fail_from(1, Failure::Answer(400, r#"{"__type":"AccessDeniedException"}"#.to_owned()));
    assert_eq!(program.run(&["export", "--entries", parts.path()]).await.code, 1, "not even the first page");
    stack.table.heal();
    stack.table.fail_from(6, Failure::Answer(400, r#"{"__type":"AccessDeniedException"}"#.to_owned()));
    let failed = program.run(&["export", "--entries", parts.path()]).await;
    assert_eq!(failed.code, 1, "{failed:?}");
    stack.table.heal();
    assert_eq!(program.run(&["export", parts.path()]).await.code, 3, "it is an export of entries");
    let ended = program.run(&["export", "--entries", parts.path()]).await;
    assert_eq!((ended.code, ended.count("lines")), (0, 60), "{ended:?}");
    assert!(ended.err.contains("going on after"), "{ended:?}");
    let sorted = |file: &TempFile| file.text().lines().map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(sorted(&whole), sorted(&parts));
    assert_eq!(sorted(&whole).len(), 60);
    assert_eq!(program.run(&["export", "--entries", parts.path()]).await.code, 1, "the file exists");
}
