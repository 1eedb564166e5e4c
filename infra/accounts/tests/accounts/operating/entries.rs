//! The entries of an account, as an operator exports them.

use journeys::{Embedded, Visitor, paths};
use serde_json::{Value, json};

use crate::{Ended, Program};

async fn send(visitor: &Visitor, body: &str) {
    assert_eq!(visitor.clone().json(paths::RECEIVE_DATA, body).await.success(), true);
}

fn lines(run: &Ended) -> Vec<Value> {
    assert_eq!(run.code, 0, "{run:?}");
    run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn the_entries_of_an_account_are_printed_byte_for_byte_and_those_of_others_are_not() {
    let stack = Embedded::start(&[]).await;
    let ana = stack.service.visitor().signed_in().await;
    let bodies = [r#"{"n":123456789012345678901234567890.10,"a":1,"a":2}"#, r#"{"z":-0,"ñ":"\ud800"}"#];
    send(&ana, &format!("[{}]", bodies.join(","))).await;
    send(&stack.service.visitor().signed_in().await, "{}").await;
    send(&ana.elsewhere(), "{}").await;
    let program = Program::of(&stack);
    let printed = lines(&program.run(&["entries", "export", &ana.email]).await);
    let found: Vec<_> = printed.iter().map(|line| line["body"].as_str().unwrap()).collect();
    assert_eq!(found, bodies);
    // The format is that of all entries.
    let id = ana.clone().session().await.json()["user"]["id"].clone();
    assert!(id.is_u64() && printed.iter().all(|line| line["account"] == id), "{printed:?}");
    let all = lines(&program.run(&["export", "-", "--entries"]).await);
    assert_eq!(all.len(), 4);
    assert!(printed.iter().all(|line| all.contains(line)), "{printed:?} {all:?}");
    assert_eq!(all.iter().filter(|line| line["account"].is_null()).count(), 1, "{all:?}");
}

#[tokio::test]
async fn several_pages_of_entries_are_printed_once_each() {
    let stack = Embedded::start(&[]).await;
    let ana = stack.service.visitor().signed_in().await;
    send(&ana, &json!(vec![json!({}); 1_200]).to_string()).await;
    let large = json!(vec![json!({"a": "x".repeat(390_000)}); 14]).to_string();
    send(&ana, &large).await;
    let run = Program::of(&stack).run(&["entries", "export", &ana.email]).await;
    let mut ids: Vec<_> = lines(&run).iter().map(|line| line["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids.len(), 1_214);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 1_214);
    assert!(run.err.contains("1000 entries so far") && run.err.contains("1214 entries\n"), "{}", run.err);
}

#[tokio::test]
async fn an_erased_account_has_entries_until_they_are_erased_and_an_unknown_address_is_not_found() {
    let stack = Embedded::start(&[]).await;
    let ana = stack.service.visitor().signed_in().await;
    send(&ana, "{}").await;
    let id = ana.clone().session().await.json()["user"]["id"].to_string();
    assert_eq!(ana.clone().form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    let program = Program::of(&stack);
    assert_eq!(lines(&program.run(&["entries", "export", &id]).await).len(), 1);
    let erased = shared::store::Entries::new(&stack.setup(&[])).erase_of(id.parse().unwrap(), stack.now()).await;
    assert_eq!(erased, Ok(1));
    assert!(lines(&program.run(&["entries", "export", &id]).await).is_empty());
    let unknown = program.run(&["entries", "export", &ana.email]).await;
    assert_eq!((unknown.code, unknown.out.as_str()), (4, ""), "{unknown:?}");
}

#[tokio::test]
async fn an_export_that_fails_says_so() {
    let stack = Embedded::start(&[]).await;
    let ana = stack.service.visitor().signed_in().await;
    send(&ana, "{}").await;
    let refused = journeys::Failure::Answer(400, json!({"__type": "x#AccessDeniedException"}).to_string());
    stack.table.fail_call_of("Query", 0, refused, true);
    let run = Program::of(&stack).run(&["entries", "export", &ana.email]).await;
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("AccessDeniedException"), "{run:?}");
}
