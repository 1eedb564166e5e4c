//! Entries that belong to an account, and their erasure.

use std::time::Duration;

use journeys::sentences::{DATA_SAVED, owned_sentence};
use journeys::{Answer, Embedded, Item, Visitor, paths, rows};
use serde_json::json;
use shared::store::Entries;

use crate::concurrency::held_up;

/// The entries, each with its body and its account; the account is empty if it belongs to none.
async fn stored(stack: &Embedded) -> Vec<(String, String)> {
    let text = |item: &Item| (rows::text(item, "body"), rows::text(item, "account"));
    let mut entries: Vec<_> = stack.items("entries").await.iter().map(text).collect();
    entries.sort();
    entries
}

async fn send(visitor: &Visitor, body: &str) -> Answer {
    visitor.clone().json(paths::RECEIVE_DATA, body).await
}

async fn send_with_key(visitor: &Visitor, body: &str) -> Answer {
    let request = visitor.request(paths::RECEIVE_DATA).header("content-type", "application/json");
    visitor.service.send(request.header("idempotency-key", "clave").body(body.to_owned())).await
}

/// A number of entries as a list.
fn list(count: usize) -> String {
    json!(vec![json!({"a": 1}); count]).to_string()
}

async fn id(stack: &Embedded, ana: &Visitor) -> String {
    rows::text(&rows::profile(stack, &ana.email).await.unwrap(), "id")
}

/// The entries table, accessed through the proxy.
fn entries(stack: &Embedded) -> Entries {
    Entries::new(&stack.setup(&[("AWS_ENDPOINT_URL_DYNAMODB", &stack.table.url())]))
}

#[tokio::test]
async fn entries_of_a_live_session_belong_to_its_account_and_the_answer_is_the_same() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    let (own, of_nobody) = (send(&ana, r#"{"n":1.00}"#).await, send(&ana.elsewhere(), r#"{"n":2.00}"#).await);
    assert_eq!((own.status, &own.text), (of_nobody.status, &of_nobody.text));
    assert!(own.set_cookies().is_empty());
    let expected = [(r#"{"n":1.00}"#.to_owned(), id(&stack, &ana).await), (r#"{"n":2.00}"#.to_owned(), String::new())];
    assert_eq!(stored(&stack).await, expected);
}

#[tokio::test]
async fn a_cookie_that_is_not_live_changes_nothing() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    let mut ended = ana.on_another_device().await;
    let cookie = ended.cookie.clone();
    ended.form(paths::LOGOUT, &[]).await;
    ended.cookie = cookie;
    let twice = ana.cookie.as_ref().map(|cookie| format!("{cookie}; {cookie}"));
    let dead = [ended.cookie, twice, Some("session=no.token".to_owned()), Some("session=".to_owned())];
    for cookie in dead {
        assert_eq!(send(&Visitor { cookie, ..ana.clone() }, "{}").await.sentence(), owned_sentence(DATA_SAVED));
    }
    stack.advance(Duration::from_hours(3));
    assert_eq!(send(&ana, "{}").await.sentence(), owned_sentence(DATA_SAVED));
    assert_eq!(stored(&stack).await, vec![("{}".to_owned(), String::new()); 5]);
}

#[tokio::test]
async fn entries_that_arrive_after_the_deletion_of_their_account_do_not_belong_to_it() {
    for is_registered_again in [false, true] {
        let (stack, ana) = Embedded::signed_in(&[]).await;
        let deletion = async {
            assert_eq!(ana.clone().form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
            if is_registered_again {
                ana.elsewhere().signed_in().await;
            }
        };
        // The call after the one that reads the session.
        let answer = held_up(&stack, 1, send(&ana, "{}"), deletion).await;
        assert_eq!(answer.sentence(), owned_sentence(DATA_SAVED));
        assert_eq!(stored(&stack).await, [("{}".to_owned(), String::new())], "registered again: {is_registered_again}");
    }
}

#[tokio::test]
async fn a_key_stores_a_request_once_for_each_account_and_once_for_nobody() {
    let stack = Embedded::start(&[]).await;
    let (ana, eva) = (stack.service.visitor().signed_in().await, stack.service.visitor().signed_in().await);
    let callers = [&ana, &eva, &ana.elsewhere(), &eva.elsewhere()];
    for caller in callers {
        assert_eq!(send_with_key(caller, &list(120)).await.sentence(), owned_sentence(DATA_SAVED));
    }
    let first = stack.items("entries").await;
    stack.advance(Duration::from_secs(5));
    for caller in callers {
        assert_eq!(send_with_key(caller, &list(120)).await.sentence(), owned_sentence(DATA_SAVED));
    }
    let sorted = |mut items: Vec<Item>| {
        items.sort_by_key(|item| rows::text(item, "id"));
        items
    };
    assert_eq!(first.len(), 360);
    assert_eq!(sorted(first), sorted(stack.items("entries").await), "the entries or their times have changed");
}

#[tokio::test]
async fn every_entry_of_an_account_is_erased_and_no_other() {
    let stack = Embedded::start(&[]).await;
    let (ana, eva) = (stack.service.visitor().signed_in().await, stack.service.visitor().signed_in().await);
    let (of_ana, of_eva) = (id(&stack, &ana).await, id(&stack, &eva).await);
    assert_eq!(send(&ana, &list(1_100)).await.sentence(), owned_sentence(DATA_SAVED));
    for other in [&eva, &ana.elsewhere()] {
        assert_eq!(send(other, "{}").await.sentence(), owned_sentence(DATA_SAVED));
    }
    drop(stack.table.calls());
    let erased = entries(&stack).erase_of(of_ana.parse().unwrap(), stack.now()).await.unwrap();
    let calls = stack.table.calls();
    assert_eq!(erased, 1_100);
    let count = |name: &str| calls.iter().filter(|call| *call == name).count();
    assert_eq!((count("Query"), count("BatchWriteItem")), (2, 44), "1,000 entries of a page, 25 of a batch");
    assert_eq!(stored(&stack).await, [("{}".to_owned(), String::new()), ("{}".to_owned(), of_eva)]);
    assert_eq!(entries(&stack).erase_of(of_ana.parse().unwrap(), stack.now()).await, Ok(0));
}
