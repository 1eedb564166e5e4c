//! Hostile answers to the options of a login. Every refused credential gets the same message.

use futures_util::future::join_all;
use journeys::authenticator::{ALGORITHMS, AT, Algorithm, Asserting, BE, BS, ED, UP, UV, encoded};
use journeys::sentences::{INVALID_PARAMETERS, INVALID_PASSKEY, LOGGED_IN, assert_says};
use journeys::{Embedded, paths, rows};
use serde_json::{Value, json};
use std::time::Duration;

use super::{CLIENT_DATA, start, with_passkey};

/// A change of a valid answer, before it is signed.
type Change = (&'static str, fn(&mut Asserting));

const CHANGES: &[Change] = &[
    ("a registration", |answer| answer.client_data["type"] = json!("webauthn.create")),
    ("another relying party", |answer| "evil.example".clone_into(&mut answer.data.rp_id)),
    ("the user is not verified", |answer| answer.data.flags = UP),
    ("the user is not present", |answer| answer.data.flags = UV),
    ("a new credential", |answer| answer.data.flags |= AT),
    ("extensions that are missing", |answer| answer.data.flags |= ED),
    ("more than the data", |answer| answer.data.rest = vec![0xa0]),
    ("garbage as extensions", |answer| {
        answer.data.flags |= ED;
        answer.data.rest = b"garbage".to_vec();
    }),
    ("deep extensions", |answer| {
        answer.data.flags |= ED;
        answer.data.rest = vec![0x81; 100_000];
    }),
    ("a credential that can be backed up now", |answer| answer.data.flags |= BE | BS),
    ("the same counter", |answer| answer.data.counter = 1),
    ("a lower counter", |answer| answer.data.counter = 0),
    ("another credential", |answer| answer.id = vec![9; 32]),
    ("no credential", |answer| answer.id.clear()),
    ("a credential of 1 MB", |answer| answer.id = vec![9; 1 << 20]),
    ("another user", |answer| answer.user = vec![9; 16]),
    ("a short user", |answer| answer.user.truncate(8)),
    ("no user", |answer| answer.user.clear()),
];

#[tokio::test]
async fn a_login_with_a_wrong_answer_is_refused_and_opens_no_session() {
    let (_stack, mut ana, mut authenticator) = start(&[]).await;
    let mut device = ana.elsewhere();
    let mut refuse = async |what: &str, change: &dyn Fn(&mut Asserting)| {
        authenticator.counter = 1;
        let mut answer = authenticator.get(&device.passkey_login_options().await);
        change(&mut answer);
        let refusal = device.answer_passkey(&authenticator.sign(&answer)).await;
        assert_says(&refusal, INVALID_PASSKEY, what);
        assert_eq!(refusal.set_cookies().len(), 0, "{what}");
    };
    for (what, change) in CHANGES {
        refuse(what, change).await;
    }
    for (what, change) in CLIENT_DATA {
        refuse(what, &|answer| change(&mut answer.client_data)).await;
    }
    assert_eq!(ana.sessions().await.len(), 1);
    assert_says(&device.passkey_login(&mut authenticator).await, LOGGED_IN, "the valid answer");
}

#[tokio::test]
async fn only_the_refusal_of_a_credential_that_no_account_has_says_that_it_is_unknown() {
    let (stack, mut ana, mut authenticator) = start(&[]).await;
    let (mut eva, other) = with_passkey(&stack).await;
    let mut device = stack.service.visitor();
    let known = json!({"success": false, "message": INVALID_PASSKEY.1});
    let unknown = json!({"success": false, "message": INVALID_PASSKEY.1, "unknown": true});
    for (what, change, said) in [
        ("the user is not verified", (|answer, _| answer.data.flags = UP) as fn(&mut Asserting, &[u8]), &known),
        ("another user", |answer, _| answer.user = vec![9; 16], &known),
        ("another account's", |answer, others| answer.id = others.to_vec(), &known),
        ("another challenge", |answer, _| answer.client_data["challenge"] = json!(encoded(&[9; 16])), &known),
        ("unreadable client data", |answer, _| answer.client_data = json!(7), &known),
        ("no id", |answer, _| answer.id.clear(), &known),
        ("nobody's", |answer, _| answer.id = vec![9; 32], &unknown),
    ] {
        let mut answer = authenticator.get(&device.passkey_login_options().await);
        change(&mut answer, &other.id);
        let refusal = device.answer_passkey(&authenticator.sign(&answer)).await;
        assert_eq!((refusal.status, &refusal.json()), (401, said), "{what}");
    }
    let answer = authenticator.get(&device.passkey_login_options().await);
    assert_eq!(device.answer_passkey(&other.sign(&answer)).await.json(), known, "the signature of another key");

    let id = ana.first_passkey().await;
    ana.delete_passkey(&id).await;
    assert_eq!(device.passkey_login(&mut authenticator).await.json(), unknown, "removed");
    eva.form(paths::DELETE_ACCOUNT, &[]).await;
    let mut answer = authenticator.get(&device.passkey_login_options().await);
    answer.id.clone_from(&other.id);
    assert_eq!(device.answer_passkey(&other.sign(&answer)).await.json(), unknown, "of a deleted account");
}

#[tokio::test]
async fn a_login_with_a_wrong_signature_is_refused() {
    let stack = Embedded::start(&[]).await;
    for algorithm in ALGORITHMS {
        let mut ana = stack.service.visitor().signed_in().await;
        let mut authenticator = ana.authenticator(algorithm).await;
        authenticator.id[0] = algorithm as u8;
        ana.add_passkey(&mut authenticator).await;
        let other = ana.authenticator(Algorithm::EdDsa).await;
        let mut device = stack.service.visitor();
        let answer = authenticator.get(&device.passkey_login_options().await);
        let sound = authenticator.sign(&answer);
        let foreign = other.sign(&answer);
        let signature = |bytes: &[u8]| {
            let mut odd = sound.clone();
            odd["response"]["signature"] = json!(encoded(bytes));
            odd
        };
        let mut odd =
            vec![foreign, signature(b""), signature(&[0; 64]), signature(&[0xff; 300]), signature(&[0x30; 70])];
        let mut data = sound.clone();
        let mut flags = answer.data.clone();
        flags.counter += 1;
        data["response"]["authenticatorData"] = json!(encoded(&flags.bytes()));
        odd.push(data);
        for odd in odd {
            assert_says(&device.answer_passkey(&odd).await, INVALID_PASSKEY, format!("{algorithm:?} {odd}"));
        }
        assert_says(&device.answer_passkey(&sound).await, LOGGED_IN, format!("{algorithm:?}"));
    }
}

#[tokio::test]
async fn a_login_with_unexpected_json_is_refused() {
    let (stack, _, mut authenticator) = start(&[]).await;
    let mut device = stack.service.visitor();
    let answer = authenticator.get(&device.passkey_login_options().await);
    let sound = authenticator.sign(&answer);
    for (pointer, value) in [
        ("/rawId", json!("AAAAAAAAAAAAAAAAAAAAAA")),
        ("/type", json!("password")),
        ("/response/userHandle", Value::Null),
        ("/response/userHandle", json!(encoded(&vec![7; 1 << 20]))),
        ("/response/authenticatorData", json!(encoded(&[0; 36]))),
        ("/response/clientDataJSON", json!(encoded(&[&b"{\"a\":"[..], &b"[".repeat(100_000)].concat()))),
        ("/response/signature", json!(1)),
    ] {
        let mut odd = sound.clone();
        *odd.pointer_mut(pointer).unwrap() = value;
        assert_says(&device.answer_passkey(&odd).await, INVALID_PASSKEY, pointer);
    }
    for credential in [json!("text"), json!(null), json!({})] {
        assert_says(&device.answer_passkey(&credential).await, INVALID_PASSKEY, "no credential");
    }
    for body in ["", "{}", "[]", "{\"credential\":", "{\"credential\":{},\"credential\":{}}"] {
        assert_says(&device.json(paths::PASSKEY_LOGIN, body).await, INVALID_PARAMETERS, body);
    }
}

#[tokio::test]
async fn the_challenge_of_a_login_is_good_for_one_login_within_five_minutes() {
    let (stack, mut ana, mut authenticator) = start(&[]).await;
    let mut device = stack.service.visitor();
    let answer = authenticator.get(&device.passkey_login_options().await);
    let signed = authenticator.sign(&answer);
    assert_says(&device.answer_passkey(&signed).await, LOGGED_IN, "once");
    assert_says(&stack.service.visitor().answer_passkey(&signed).await, INVALID_PASSKEY, "replayed");

    // A login does not accept the challenge of a registration.
    let mut options = ana.passkey_options().await;
    options["publicKey"]["rpId"] = options["publicKey"]["rp"]["id"].clone();
    let answer = authenticator.get(&options);
    assert_says(&device.answer_passkey(&authenticator.sign(&answer)).await, INVALID_PASSKEY, "a registration's");

    let options = device.passkey_login_options().await;
    stack.advance(Duration::from_mins(5));
    let answer = authenticator.get(&options);
    assert_says(&device.answer_passkey(&authenticator.sign(&answer)).await, INVALID_PASSKEY, "late");
    let options = device.passkey_login_options().await;
    stack.advance(Duration::from_secs(285));
    let answer = authenticator.get(&options);
    assert_says(&device.answer_passkey(&authenticator.sign(&answer)).await, LOGGED_IN, "in time");
}

#[tokio::test]
async fn a_passkey_opens_only_its_own_account() {
    let (stack, _, mut authenticator) = start(&[]).await;
    let (_, other) = with_passkey(&stack).await;
    let mut device = stack.service.visitor();
    let (own_id, own_user) = (authenticator.id.clone(), authenticator.user.clone());
    for (id, user) in [(&other.id, &own_user), (&own_id, &other.user), (&other.id, &other.user)] {
        let mut answer = authenticator.get(&device.passkey_login_options().await);
        (answer.id, answer.user) = (id.clone(), user.clone());
        assert_says(&device.answer_passkey(&authenticator.sign(&answer)).await, INVALID_PASSKEY, "another's");
    }
}

#[tokio::test]
async fn a_counter_that_stays_zero_is_accepted_and_one_that_falls_is_refused() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let mut authenticator = ana.authenticator(Algorithm::Es256).await;
    authenticator.counter = 0;
    ana.add_passkey(&mut authenticator).await;
    let mut device = stack.service.visitor();
    for _ in 0..3 {
        assert_says(&device.passkey_login(&mut authenticator).await, LOGGED_IN, "zero");
    }
    for (counter, accepted) in [(7, true), (8, true), (8, false), (3, false), (0, false), (9, true), (u32::MAX, true)] {
        let mut answer = authenticator.get(&device.passkey_login_options().await);
        answer.data.counter = counter;
        let expected = if accepted { LOGGED_IN } else { INVALID_PASSKEY };
        let outcome = device.answer_passkey(&authenticator.sign(&answer)).await;
        assert_says(&outcome, expected, format!("{counter} {accepted}"));
    }
}

#[tokio::test]
async fn of_32_parallel_logins_with_one_challenge_one_succeeds() {
    let (stack, mut ana, mut authenticator) = start(&[]).await;
    let mut device = stack.service.visitor();
    let options = device.passkey_login_options().await;
    let answers = (0..32).map(|_| authenticator.get(&options)).collect::<Vec<_>>();
    let answers: Vec<Value> = answers.iter().map(|answer| authenticator.sign(answer)).collect();
    let calls = answers.iter().map(|answer| {
        let mut device = stack.service.visitor();
        async move { device.answer_passkey(answer).await }
    });
    let outcomes = join_all(calls).await;
    assert_eq!(outcomes.iter().filter(|answer| answer.success() == true).count(), 1, "{outcomes:?}");
    assert!(outcomes.iter().all(|answer| [200, 401].contains(&answer.status)), "{outcomes:?}");
    assert_eq!(ana.sessions().await.len(), 2);
}

#[tokio::test]
async fn a_login_to_a_disabled_account_is_refused_with_the_same_words() {
    let (stack, ana, mut authenticator) = start(&[]).await;
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    let now = aws_sdk_dynamodb::types::AttributeValue::N(stack.now().seconds().to_string());
    rows::put(&stack, rows::with(&profile, "disabled_at", Some(now))).await;
    let mut device = stack.service.visitor();
    let refused = device.passkey_login(&mut authenticator).await;
    assert_says(&refused, INVALID_PASSKEY, "disabled");
    let unknown = device.answer_passkey(&json!({})).await;
    assert_eq!(refused.whole(), unknown.whole());
    rows::put(&stack, profile).await;
    assert_says(&device.passkey_login(&mut authenticator).await, LOGGED_IN, "enabled");
}
