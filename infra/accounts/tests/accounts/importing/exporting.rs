//! The files of an export: who may read them, and how an unfinished one goes on.

use journeys::{Embedded, Failure};

use serde_json::json;

use super::files::{TempFile, user_with, users};
use crate::Program;

/// The answer to an operator without the permission.
fn denied() -> Failure {
    Failure::Answer(400, r#"{"__type":"AccessDeniedException"}"#.to_owned())
}

#[cfg(unix)]
#[tokio::test]
async fn exports_and_reports_can_be_read_by_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;

    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    let (users, report, export) = (TempFile::of(&users(2)), TempFile::new("ndjson"), TempFile::new("ndjson"));
    let state = format!("{}.state", export.path());
    program.run(&["import", users.path(), "--proved", "all", "--report", report.path()]).await;
    stack.table.fail_call_of("Scan", 0, denied(), true);
    assert_eq!(program.run(&["export", "--with-hashes", export.path()]).await.code, 1);
    stack.table.heal();
    for path in [report.path(), export.path(), &state] {
        let mode = std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{path}");
    }
    assert_eq!(program.run(&["export", "--with-hashes", export.path()]).await.count("lines"), 2);
}

#[tokio::test]
async fn an_export_without_a_file_is_written_to_standard_output_and_its_messages_are_not() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    let rows: Vec<_> = (1..=3).map(|id| user_with(id, &json!({"disabled_at": "2021-01-02 03:04:05"}))).collect();
    assert_eq!(program.run(&["import", TempFile::of(&rows).path(), "--proved", "all"]).await.code, 0);
    let ended = program.run(&["export"]).await;
    assert_eq!((ended.code, ended.err.as_str()), (0, "3 lines, 0 broken rows\n"), "{ended:?}");
    assert_eq!(ended.lines().len(), 3);
    for line in ended.lines() {
        let times = ["created_at", "disabled_at"].map(|name| line[name].as_str().unwrap().to_owned());
        assert_eq!(times, ["2020-02-29 12:00:00", "2021-01-02 03:04:05"], "as MariaDB takes them in its strict mode");
    }
}

#[tokio::test]
async fn an_unfinished_export_does_not_go_on_with_another_deployment() {
    let (stack, other) = (Embedded::start(&[]).await, Embedded::start(&[]).await);
    let export = TempFile::new("ndjson");
    stack.table.fail_call_of("Scan", 0, denied(), true);
    assert_eq!(Program::of(&stack).run(&["export", export.path()]).await.code, 1);
    stack.table.heal();
    let refused = Program::of(&other).run(&["export", export.path()]).await;
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.err.contains("is an unfinished export of another deployment"), "{refused:?}");
    let own = Program::of(&stack).run(&["export", export.path()]).await;
    assert_eq!(own.code, 0, "{own:?}");
}

#[tokio::test]
async fn an_export_whose_state_cannot_be_read_is_not_begun_anew() {
    let stack = Embedded::start(&[]).await;
    let export = TempFile::new("ndjson");
    let state = format!("{}.state", export.path());
    std::fs::create_dir(&state).unwrap();
    let refused = Program::of(&stack).run(&["export", export.path()]).await;
    std::fs::remove_dir(&state).unwrap();
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.err.contains(&format!("{state} cannot be read")), "{refused:?}");
    std::fs::write(&state, "{").unwrap();
    let refused = Program::of(&stack).run(&["export", export.path()]).await;
    std::fs::remove_file(&state).unwrap();
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.err.contains(&format!("{state} cannot be read")), "{refused:?}");
    assert!(refused.err.contains("delete it and"), "{refused:?}");
    assert!(!std::path::Path::new(export.path()).exists(), "{refused:?}");
}
