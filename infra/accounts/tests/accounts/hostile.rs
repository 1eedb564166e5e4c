//! Texts of others that a terminal would obey or show in another order.

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::Embedded;
use serde_json::json;

use crate::importing::files::{TempFile, user, user_with};
use crate::support::{accounts, set};
use crate::{Ended, local};

/// Escape sequences of seven and of eight bits, another line, and reversed text.
const HOSTILE: &str = "x\u{1b}[2J\u{9b}31m\rerror\n\u{202e}moc\u{2066}\u{200f}\u{7f}\u{2028}y";

fn is_hostile(c: char) -> bool {
    (c != '\n' && c.is_control()) || "\u{202e}\u{2066}\u{200f}\u{2028}".contains(c)
}

#[track_caller]
fn assert_harmless(ended: &Ended) {
    for text in [&ended.out, &ended.err] {
        assert!(!text.contains(is_hostile), "{text:?}");
        assert!(!text.lines().any(|line| line.starts_with('\u{202e}') || line.starts_with("moc")), "{text:?}");
    }
}

#[tokio::test]
async fn names_in_the_tables_are_printed_without_what_a_terminal_obeys() {
    let stack = Embedded::start(&[]).await;
    let file = TempFile::of(&[user(1), user_with(2, &json!({"name": "Ñandú", "password": null}))]);
    assert_eq!(local(&stack, &["import", file.path(), "--proved", "all"]).await.code, 0);
    for name in ["name", "url_image", "google_sub"] {
        set(&stack, "user1@example.com", name, AttributeValue::S(HOSTILE.to_owned())).await;
    }
    for command in [
        &["find", "1"][..],
        &["show", "1"],
        &["export"],
        &["export", "-", "--with-hashes"],
        &["legacy", "--list"],
        &["doctor", "--data"],
        &["disable", "1", "--reason", "a test"],
    ] {
        for options in [&[][..], &["--json"]] {
            let ended = accounts(&stack, &[command, options].concat()).await;
            assert!([0, 2].contains(&ended.code), "{ended:?}");
            assert_harmless(&ended);
        }
    }
    let found = accounts(&stack, &["find", "1"]).await.out;
    assert!(found.contains(r"x\u{1b}[2J\u{9b}31m\rerror\n\u{202e}moc"), "{found}");
    let json = accounts(&stack, &["find", "1", "--json"]).await;
    assert_eq!(json.json()["name"], HOSTILE, "JSON has the same text");
    assert!(accounts(&stack, &["find", "2"]).await.out.contains("Ñandú"));
}

#[tokio::test]
async fn the_columns_and_rows_of_a_file_are_printed_without_what_a_terminal_obeys() {
    let stack = Embedded::start(&[]).await;
    let mut row = user(1);
    row[HOSTILE] = json!([]);
    row["banned\u{1b}[2J"] = json!(1);
    let csv = TempFile::with("csv", format!("id,email,\"{HOSTILE}\"\n1,user1@example.com,2\n"));
    for file in [TempFile::of(&[row]), csv] {
        let report = TempFile::new("ndjson");
        for arguments in [
            &["import", file.path(), "--proved", "all"][..],
            &["import", file.path(), "--proved", "all", "--report", report.path()],
            &["import", file.path(), "--proved", HOSTILE],
            &["import", file.path(), "--proved", "all", "--map", &format!("name={HOSTILE}"), "--report", report.path()],
        ] {
            assert_harmless(&local(&stack, arguments).await);
        }
        assert!(!report.text().contains(is_hostile), "{}", report.text());
    }
}

#[tokio::test]
async fn what_the_operator_types_is_printed_without_what_a_terminal_obeys() {
    let stack = Embedded::start(&[]).await;
    for arguments in [&["find", HOSTILE][..], &["import", HOSTILE, "--proved", "all", "--format", "csv"]] {
        let ended = local(&stack, arguments).await;
        assert!(ended.code != 0 && ended.err.contains(r"\u{1b}[2J"), "{ended:?}");
        assert_harmless(&ended);
    }
    for arguments in [&[HOSTILE][..], &["find", "1", HOSTILE]] {
        let ended = local(&stack, arguments).await;
        assert!(ended.code == 3 && ended.err.contains("rror"), "{ended:?}");
        assert_harmless(&ended);
    }
}
