//! MD5 and SHA-1 hashes in repeated imports.

use journeys::{Embedded, Visitor};
use serde_json::{Value, json};

use super::counts;
use super::files::{PASSWORD, TempFile, user_with};
use crate::{Ended, Program, table};

/// The MD5 hash of [`PASSWORD`].
const MD5: &str = "f85a3240fd9c55b12427db31f9c453e2";
/// Another one.
const OTHER: &str = "00000000000000000000000000000000";

fn row(id: u64, changes: &Value) -> Value {
    let mut row = user_with(id, &json!({"password": MD5}));
    for (name, value) in changes.as_object().unwrap() {
        row[name] = value.clone();
    }
    row
}

async fn import(stack: &Embedded, rows: &[Value], options: &[&str]) -> Ended {
    let file = TempFile::of(rows);
    Program::of(stack).run(&[&["import", file.path(), "--proved", "email_verified"], options].concat()).await
}

async fn log_in(stack: &Embedded, id: u64) -> Visitor {
    let mut user = stack.service.visitor();
    user.email = format!("user{id}@example.com");
    assert_eq!(user.login(PASSWORD).await.success(), true, "{id}");
    user
}

#[tokio::test]
async fn a_row_with_md5_is_unchanged_updated_or_left_by_what_has_changed_and_a_dry_run_predicts_it() {
    let stack = Embedded::start(&[]).await;
    let nothing = json!({});
    let first: Vec<Value> = (1..=7).map(|id| row(id, &nothing)).collect();
    assert_eq!(import(&stack, &first, &[]).await.count("created"), 7);
    for id in [6, 7] {
        log_in(&stack, id).await;
    }
    let second = [
        row(1, &nothing),
        row(2, &json!({"password": OTHER})),
        row(3, &json!({"name": "De allí"})),
        row(4, &json!({"password": super::files::HASH})),
        // SHA-1.
        row(5, &json!({"password": format!("{OTHER}00000000")})),
        // A login has replaced its hash.
        row(6, &nothing),
        row(7, &json!({"password": OTHER})),
    ];
    let before = table(&stack).await;
    let dry = import(&stack, &second, &["--dry-run"]).await;
    assert_eq!(table(&stack).await, before);
    let ended = import(&stack, &second, &[]).await;
    assert_eq!(counts(&dry), counts(&ended));
    let of = |name| ended.count(name);
    assert_eq!((of("unchanged"), of("updated"), of("left")), (2, 4, 1), "{ended:?}");
    log_in(&stack, 3).await;
    log_in(&stack, 7).await;
    let again = import(&stack, &second, &[]).await;
    assert_eq!((again.count("unchanged"), again.count("left")), (6, 1), "{again:?}");
}

#[tokio::test]
async fn the_hashes_of_a_cache_are_not_computed_again_on_any_stack() {
    let (stack, other) = (Embedded::start(&[]).await, Embedded::start(&[]).await);
    let (cache, rows) = (TempFile::new("txt"), [row(1, &json!({})), row(2, &json!({}))]);
    let options = ["--hash-cache", cache.path()];
    assert_eq!(import(&stack, &rows, &options).await.count("created"), 2);
    let kept = cache.text();
    assert_eq!(kept.lines().count(), 2, "{kept}");
    assert!(!kept.contains(MD5));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(cache.path()).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(import(&stack, &rows, &options).await.count("unchanged"), 2);
    assert_eq!(import(&stack, &rows, &[]).await.count("unchanged"), 2, "it says the same without the cache");
    assert_eq!(cache.text(), kept);
    assert_eq!(import(&other, &rows, &options).await.count("created"), 2);
    assert_eq!(cache.text(), kept, "the salt is the same on each stack");
    log_in(&other, 1).await;

    // A hash of another password in the cache is taken as it is: it was not computed.
    let changed: Vec<String> =
        kept.lines().map(|line| line.split_at(line.len() - 43).0.to_owned() + &"A".repeat(43)).collect();
    std::fs::write(cache.path(), changed.join("\n") + "\n").unwrap();
    assert_eq!(import(&stack, &rows, &["--dry-run", options[0], options[1]]).await.count("updated"), 2);
    // A run that was killed has left half of a line.
    std::fs::write(cache.path(), kept.split_at(kept.len() - 20).0).unwrap();
    assert_eq!(import(&stack, &rows, &options).await.count("unchanged"), 2);
    assert_eq!(cache.text().lines().last(), kept.lines().find(|line| !cache.text().starts_with(line)));
    assert_eq!(import(&stack, &rows, &options).await.count("unchanged"), 2);
    assert_eq!(cache.text().lines().count(), 3);
}
