//! Accounts whose profile cannot be read.

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::rows::partition_key;
use journeys::sentences::{LOGGED_IN, assert_says};
use journeys::{Embedded, PASSWORD, Visitor};
use serde_json::json;

use super::change;
use crate::support::{accounts, items, set};
use crate::table;

/// An owner with a session, a passkey and Google, and the key of the account.
async fn owner(stack: &Embedded) -> (Visitor, String) {
    let mut ana = stack.service.visitor();
    ana.google(json!({})).await;
    ana.with_passkey().await;
    let key = items(stack, &ana.email, "profile").await[0]["pk"].as_s().unwrap().clone();
    (ana, key)
}

#[tokio::test]
async fn a_broken_account_is_named_with_its_attribute_and_erased_with_everything_that_belongs_to_it() {
    let stack = Embedded::start(&[]).await;
    let text = AttributeValue::S("seven".to_owned());
    let number = AttributeValue::N("7".to_owned());
    for (name, value, by_key) in [
        ("generation", text.clone(), false),
        ("name", number.clone(), false),
        ("id", text.clone(), true),
        ("email", number.clone(), true),
        ("disabled_at", text, false),
        ("passkeys", number, false),
    ] {
        let (mut ana, key) = owner(&stack).await;
        set(&stack, &ana.email, name, value).await;
        let who = if by_key { format!("key:{key}") } else { ana.email.clone() };
        let shown = accounts(&stack, &["show", &who]).await;
        assert_eq!(shown.code, 1, "{shown:?}");
        assert!(shown.err.contains(&format!("({name} ")), "{name}: {shown:?}");
        assert!(shown.err.contains(&format!("accounts erase key:{key}")), "{shown:?}");
        let doctor = accounts(&stack, &["doctor", "--data"]).await;
        assert!(
            doctor.code == 2 && doctor.out.contains(&key) && doctor.out.contains("accounts erase key:KEY"),
            "{doctor:?}"
        );

        let dry = change(&stack, &["erase", &who, "--dry-run", "--json"]).await;
        assert_eq!((dry.code, &dry.json()["key"]), (0, &json!(key)), "{dry:?}");
        assert_eq!(items(&stack, &ana.email, "profile").await.len(), 1);
        let erased = change(&stack, &["erase", &who, "--yes"]).await;
        assert_eq!(
            (erased.code, erased.trail()),
            (0, vec!["account-erased intended".to_owned(), "account-erased done".to_owned()])
        );
        let rows = table(&stack).await.join("\n");
        assert!(!rows.contains(&key), "{name}: {rows}");
        assert_eq!(accounts(&stack, &["doctor", "--data"]).await.code, 0);
        assert_eq!(ana.session().await.status, 401);
        let mut again = ana.elsewhere();
        again.register().await;
        assert_says(&again.login(PASSWORD).await, LOGGED_IN, name);
    }
}

#[tokio::test]
async fn the_address_that_a_broken_account_has_got_is_free_after_its_erasure() {
    let stack = Embedded::start(&[]).await;
    let old = stack.service.visitor().signed_in().await;
    let moved = old.clone().moved_to(&old.new_email()).await;
    set(&stack, &old.email, "name", AttributeValue::N("7".to_owned())).await;
    let who = format!("key:{}", partition_key(&old.email));
    assert_eq!(change(&stack, &["erase", &who, "--yes"]).await.code, 0);
    assert_eq!(accounts(&stack, &["doctor", "--data"]).await.code, 0);
    moved.elsewhere().signed_in().await;
}

#[tokio::test]
async fn no_whole_account_is_erased_as_a_broken_one() {
    let stack = Embedded::start(&[]).await;
    let (ana, key) = owner(&stack).await;
    let erased = change(&stack, &["erase", &format!("key:{key}"), "--dry-run", "--json"]).await;
    assert_eq!((erased.code, &erased.json()["email"]), (0, &json!(ana.email)), "{erased:?}");
    for (who, code) in [("key:short", 3), ("key:AAAAAAAAAAAAAAAAAAAAAA", 4)] {
        assert_eq!(change(&stack, &["erase", who, "--yes"]).await.code, code, "{who}");
    }
}
