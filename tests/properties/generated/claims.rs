//! Credentials of the identity provider.

use properties::credential;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Times around the limits of the time claims.
const TIMES: &[u64] = &[0, 1_799_999_939, 1_799_999_940, 1_799_999_941, 1_800_000_060, 1_800_000_061, u64::MAX];

/// A value that a claim may have, one that it must not have, or one just outside its limit.
fn value() -> impl Strategy<Value = Value> {
    let texts =
        ["accounts.google.com", "https://accounts.google.com", "client", "110", "ana@example.com", "true", "", " "];
    prop_oneof![
        prop::sample::select(texts.to_vec()).prop_map(Value::from),
        prop::sample::select(TIMES).prop_map(Value::from),
        prop::sample::select("null true false -1 1.5 [] [\"client\"]".split(' ').collect::<Vec<_>>())
            .prop_map(|text| text.parse::<Value>().unwrap()),
        "\\PC{0,10}".prop_map(Value::from),
        (1..300_usize).prop_map(|length| "s".repeat(length).into()),
    ]
}

/// The name of a claim and a new value, often one that is almost valid.
fn change() -> impl Strategy<Value = (String, Value)> {
    let verified = prop::sample::select(vec![json!(false), json!("true"), json!(1), json!(null)]);
    prop_oneof![
        ("iss|aud|sub|email|email_verified|iat|exp|nbf|name|other", value()),
        ("email_verified", verified),
        ("iat|exp|nbf", prop::sample::select(TIMES).prop_map(Value::from)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn signed_claims_are_accepted_exactly_when_they_are_valid(
        changes in prop::collection::vec(change(), 0..3),
    ) {
        let mut claims = credential::valid_claims();
        claims.as_object_mut().unwrap().extend(changes);
        credential::claims_are_judged(&claims);
    }

    #[test]
    fn no_byte_of_a_credential_can_be_changed(changes in prop::collection::vec(any::<u8>(), 0..12)) {
        credential::holds(&[b"m", changes.as_slice()].concat());
    }
}

/// Fewer cases than elsewhere, because most of them are signed.
const CASES: u32 = 128;
