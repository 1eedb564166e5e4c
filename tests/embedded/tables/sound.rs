//! Violated invariants that only the tests check are reported. The tests of `accounts doctor` plant all others.

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::rows::{text, with};
use journeys::{Embedded, Item, sound};

/// The items with the one whose sort key begins with `sk` changed.
fn changed(items: &[Item], sk: &str, name: &str, value: Option<&AttributeValue>) -> Vec<Item> {
    let change =
        |item: &Item| if text(item, "sk").starts_with(sk) { with(item, name, value.cloned()) } else { item.clone() };
    items.iter().map(change).collect()
}

#[tokio::test]
async fn an_incomplete_account_and_a_session_of_a_later_generation_are_reported() {
    let stack = Embedded::start(&[]).await;
    stack.service.visitor().signed_in().await;
    let items = stack.items("accounts").await;
    let number = |number: &str| Some(AttributeValue::N(number.to_owned()));
    assert_eq!(sound::faults(&items, |_| true), Vec::<String>::new());
    for (sk, name, value) in [
        ("profile", "created_at", None),
        ("profile", "password", None),
        ("profile", "reset_expires_at", number("1")),
        ("profile", "verify_expires_at", number("1")),
        ("session#", "generation", number("2")),
        ("profile", "id", number("7")),
    ] {
        let found = sound::faults(&changed(&items, sk, name, value.as_ref()), |_| true);
        assert_ne!(found, Vec::<String>::new(), "{sk} {name}");
    }
    let orphans: Vec<Item> = items.into_iter().filter(|item| text(item, "sk") != "profile").collect();
    assert_ne!(sound::faults(&orphans, |_| true), Vec::<String>::new(), "a session without an account");
}
