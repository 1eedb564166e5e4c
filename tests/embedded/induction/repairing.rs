//! What operators write about damaged rows, and about an account that was erased by mistake.

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::Embedded;
use journeys::rows::{from_json, partition_key, put};
use serde_json::{Value, json};
use shared::Email;
use shared::store::operator::{Operator, PutBack};

use super::changes::{MOVED, PASSKEY};
use super::operating::{Kind, Owner};
use super::recording::{Recorder, clear, setup, table};
use super::writes::Right;

const BY: Right = Right::Operator;

fn pointer(pk: &str, sk: &str, account: &str) -> Value {
    json!({"pk": {"S": pk}, "sk": {"S": sk}, "account": {"S": account}})
}

pub(super) async fn record(recorder: &mut Recorder) {
    let stack = Embedded::start(&[]).await;
    let operator = Operator::new(&setup(&stack));
    lost(recorder, &stack, &operator).await;
    left(recorder, &stack, &operator).await;
    for kind in [Kind::Plain, Kind::Full] {
        clear(&stack).await;
        let owner = Owner::new(&stack, kind).await;
        let copied = operator.copy(&owner.key).await.unwrap().unwrap();
        let rest: Vec<_> = table(&stack).await.into_iter().filter(|((_, sk), _)| sk.starts_with("session#")).collect();
        clear(&stack).await;
        for (_, row) in rest {
            put(&stack, from_json(&row)).await;
        }
        let done = recorder.record(&stack, ("restore", BY), operator.put_back(&copied)).await;
        assert_eq!(done.unwrap(), PutBack::Done);
        clear(&stack).await;
        let owner = Owner::new(&stack, kind).await;
        owner.damage(&stack, "name", None).await;
        let broken = operator.broken(&owner.key).await.unwrap().unwrap();
        assert!(
            recorder.record(&stack, ("erase of a broken account", BY), operator.erase_broken(&broken)).await.unwrap()
        );
    }
}

/// Rows that an account has lost.
async fn lost(recorder: &mut Recorder, stack: &Embedded, operator: &Operator) {
    clear(stack).await;
    let owner = Owner::new(stack, Kind::Full).await;
    let id = owner.read(operator).await.account.id;
    for (name, found) in [("missing profile_id", None), ("other profile_id", Some(id + 1))] {
        owner.damage(stack, "profile_id", found.map(|found| AttributeValue::N(found.to_string()))).await;
        let repair = operator.set_profile_id(&owner.key, id, found);
        assert!(recorder.record(stack, (name, BY), repair).await.unwrap());
    }
    let email = Email::parse(&owner.visitor.email).unwrap();
    remove(stack, &partition_key(email.as_str()), "profile#address").await;
    let repair = operator.restore_address(&owner.key, &email);
    assert!(recorder.record(stack, ("missing address", BY), repair).await.unwrap());
    let sub = owner.read(operator).await.account.google_sub.unwrap();
    remove(stack, &format!("google#{sub}"), "identity").await;
    let repair = operator.restore_identity(&sub, &owner.key, id);
    assert!(recorder.record(stack, ("missing identity", BY), repair).await.unwrap());
}

/// Rows that an account has left, or that none has.
async fn left(recorder: &mut Recorder, stack: &Embedded, operator: &Operator) {
    let nobody = partition_key("nobody@example.com");
    for has_account in [true, false] {
        clear(stack).await;
        let owner = Owner::new(stack, Kind::Plain).await;
        let key = if has_account { owner.key.as_str() } else { &nobody };
        let address = partition_key(MOVED);
        put(stack, from_json(&pointer(&address, "profile#address", key))).await;
        let repair = operator.delete_stale_address(&address, key);
        assert!(recorder.record(stack, ("stale address", BY), repair).await.unwrap());
        for row in [
            (owner.key.as_str().to_owned(), format!("passkey#{PASSKEY}")),
            (format!("credential#{PASSKEY}"), "credential".to_owned()),
        ] {
            let left = if row.1 == "credential" {
                pointer(&row.0, &row.1, key)
            } else {
                json!({"pk": {"S": key}, "sk": {"S": row.1}, "id": {"N": "1"}, "name": {"S": "Llave"}, "credential": {"S": "AA"},
                    "public_key": {"S": "AA"}, "counter": {"N": "1"}, "backup": {"S": "eligible"}, "created_at": {"N": "1700000000"}})
            };
            let row = (left["pk"]["S"].as_str().unwrap().to_owned(), row.1);
            put(stack, from_json(&left)).await;
            let repair = operator.delete_unnamed_passkey(key, PASSKEY, &row);
            assert!(recorder.record(stack, ("unnamed passkey", BY), repair).await.unwrap());
        }
    }
    put(stack, from_json(&pointer("google#4", "identity", &nobody))).await;
    let repair = operator.delete_identity_without_account("4", &nobody);
    assert!(recorder.record(stack, ("identity without an account", BY), repair).await.unwrap());
    let session = json!({"pk": {"S": nobody}, "sk": {"S": "session#a"}, "id": {"N": "1"}, "generation": {"N": "1"}});
    put(stack, from_json(&session)).await;
    let repair = operator.delete_session_without_account(&nobody, "session#a");
    assert!(recorder.record(stack, ("session without an account", BY), repair).await.unwrap());
}

async fn remove(stack: &Embedded, pk: &str, sk: &str) {
    let delete = stack.dynamodb().delete_item().table_name("accounts").key("pk", AttributeValue::S(pk.to_owned()));
    delete.key("sk", AttributeValue::S(sk.to_owned())).send().await.unwrap();
}
