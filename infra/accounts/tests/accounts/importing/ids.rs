//! The ids of an import, and the counter of ids.

use journeys::{Embedded, PASSWORD};
use serde_json::{Value, json};

use super::files::{TempFile, user, user_with, users};
use super::import;
use crate::Program;

/// The largest id that an import takes.
const BOUND: u64 = 1 << 52;

async fn counter(stack: &Embedded) -> Option<u64> {
    let items = stack.items("accounts").await;
    let counter = items.iter().find(|item| item["pk"].as_s().unwrap() == "counter")?;
    Some(counter["total"].as_n().unwrap().parse().unwrap())
}

#[tokio::test]
async fn a_row_with_an_id_beyond_the_bound_is_refused_and_people_can_still_register() {
    let stack = Embedded::start(&[]).await;
    let beyond = [(1, BOUND + 1), (2, (1 << 53) - 1)].map(|(of, id)| {
        let mut row = user(of);
        row["id"] = json!(id);
        row
    });
    let ended = import(&Program::of(&stack), &[&users(3)[2..], &beyond].concat()).await;
    assert_eq!((ended.code, ended.count("created"), ended.count("refused")), (2, 1, 2), "{ended:?}");
    assert!(ended.err.contains(&BOUND.to_string()), "{ended:?}");
    assert_eq!(counter(&stack).await, Some(3));
    assert_eq!(import(&Program::of(&stack), &[user(BOUND)]).await.count("created"), 1);
    let mut eva = stack.service.visitor();
    eva.register().await;
    assert_eq!(eva.login(PASSWORD).await.user("id"), BOUND + 1);
}

#[tokio::test]
async fn a_refused_row_never_raises_the_counter_of_ids() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    // Before the registration, which leases ids and so would make an import of more users wait.
    let linked = user_with(40, &json!({"google_sub": "40"}));
    assert_eq!(import(&program, &[linked]).await.count("created"), 1);
    let mut eva = stack.service.visitor();
    eva.register().await;
    let before = counter(&stack).await.unwrap();
    let email = |id: u64, email: &str| user_with(id, &json!({ "email": email }));
    let refused = [
        email(1_000_001, &eva.email),
        email(1_000_002, "two@example.com"),
        email(1_000_003, "two@example.com"),
        user_with(1_000_004, &json!({"google_sub": "40"})),
        user_with(1_000_005, &json!({"password": "secret"})),
        email(1_000_006, "user40@example.com"),
    ];
    // More of them than are looked at together.
    let more: Vec<Value> = (2_000_000..2_000_070).map(|id| user_with(id, &json!({"google_sub": "40"}))).collect();
    for rows in [&refused[..], &more] {
        let ended = import(&program, rows).await;
        assert_eq!((ended.code, ended.count("refused")), (2, rows.len() as u64), "{ended:?}");
        assert_eq!(counter(&stack).await, Some(before));
    }
    let other = Embedded::start(&[]).await;
    let ended = import(&Program::of(&other), &[&refused[1..3], &refused[4..5], &[user(5_000)]].concat()).await;
    assert_eq!((ended.count("created"), counter(&other).await), (1, Some(5_000)), "{ended:?}");
}

#[tokio::test]
async fn a_counter_of_ids_at_its_end_is_found_and_repaired_so_that_people_can_register_again() {
    let stack = Embedded::start(&[]).await;
    let program = Program::of(&stack);
    let mut eva = stack.service.visitor();
    import(&program, &users(60)).await;
    let items = stack.items("accounts").await;
    let is = |item: &journeys::Item, name: &str, text: &str| item[name].as_s().is_ok_and(|value| value == text);
    let number = |number: u64| aws_sdk_dynamodb::types::AttributeValue::N(number.to_string());
    let last = (1 << 53) - 1;
    let mut row = items.iter().find(|item| item.get("id") == Some(&number(60))).unwrap().clone();
    let mut ended = items.iter().find(|item| is(item, "pk", "counter")).unwrap().clone();
    for name in ["id", "profile_id"] {
        row.insert(name.to_owned(), number(last));
    }
    for name in ["total", "closed", "imported"] {
        ended.insert(name.to_owned(), number(last));
    }
    for item in [row, ended] {
        stack.dynamodb().put_item().table_name("accounts").set_item(Some(item)).send().await.unwrap();
    }
    assert_eq!(eva.register().await.status, 500);

    let found = program.run(&["doctor", "--data"]).await;
    assert!(found.out.contains("ids-left") && found.out.contains("nobody can register"), "{found:?}");
    let fixed = program.run(&["doctor", "--data", "--fix", "--yes", "--reason", "a wrong id"]).await;
    assert!(fixed.err.contains("counter-lowered"), "{fixed:?}");
    assert_eq!(counter(&stack).await, Some(1_000_059));
    assert_eq!(eva.register().await.success(), true);
    assert_eq!(eva.login(PASSWORD).await.user("id"), 1_000_060);
    let again = program.run(&["doctor", "--data"]).await;
    assert!(!again.out.contains("nobody can register"), "{again:?}");
    // A real import would wait until no function gives one of the ids that the repair has closed.
    let file = TempFile::of(&[user(70)]);
    let ended = program.run(&["import", file.path(), "--proved", "email_verified", "--dry-run"]).await;
    assert_eq!(ended.count("created"), 1, "{ended:?}");
    assert_eq!(counter(&stack).await.map(|total| total < 2_000_000), Some(true));
}
