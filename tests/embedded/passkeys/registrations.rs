//! Hostile answers to the options of a new passkey. None of them stores anything.

use std::time::Duration;

use journeys::authenticator::{
    AT, Algorithm, Attesting, Authenticator, BS, ED, UP, UV, bytes, ec_key, encoded, rsa_key, text,
};
use journeys::sentences::{INVALID_PARAMETERS, LOGGED_IN, NO_SESSION, PASSKEY_CREATED, PASSKEY_REFUSED, assert_says};
use journeys::{Embedded, Visitor, paths};
use serde_json::{Value, json};

use super::CLIENT_DATA;

/// A visitor with a session, and an authenticator for it.
async fn prepared(stack: &Embedded) -> (Visitor, Authenticator) {
    let mut ana = stack.service.visitor().signed_in().await;
    let authenticator = ana.authenticator(Algorithm::Es256).await;
    (ana, authenticator)
}

/// A change of a valid answer.
type Change = (&'static str, fn(&mut Attesting));

const DATA: &[Change] = &[
    ("another relying party", |answer| "evil.example".clone_into(&mut answer.data.rp_id)),
    ("the user is not verified", |answer| answer.data.flags = UP | AT),
    ("the user is not present", |answer| answer.data.flags = UV | AT),
    ("no credential", |answer| answer.data.flags = UP | UV),
    ("backed up and not eligible", |answer| answer.data.flags |= BS),
    ("a reserved flag", |answer| answer.data.flags |= 0x02),
    ("extensions without their flag", |answer| answer.extensions = vec![0xa0]),
    ("deep extensions", |answer| {
        answer.data.flags |= ED;
        answer.extensions = vec![0x81; 100_000];
    }),
    ("no id", |answer| answer.id.clear()),
    ("a long id", |answer| answer.id = vec![1; 1_024]),
    ("the longest id", |answer| answer.id = vec![1; 65_535]),
];

const KEYS: &[Change] = &[
    ("no key", |answer| answer.key.clear()),
    ("a point off the curve", |answer| answer.key = ec_key(&[1; 32], &[1; 32])),
    ("the point at infinity", |answer| answer.key = ec_key(&[0; 32], &[0; 32])),
    ("a coordinate above the field", |answer| answer.key = ec_key(&[0xff; 32], &[0xff; 32])),
    ("a short coordinate", |answer| answer.key = ec_key(&[1; 31], &[1; 32])),
    ("another algorithm", |answer| answer.key[4] = 0x25),
    ("another curve", |answer| answer.key[6] = 2),
    ("a truncated key", |answer| answer.key.truncate(70)),
    ("a key with more behind it", |answer| answer.key.push(0)),
    ("a weak RSA key", |answer| answer.key = rsa_key(&[0xc1; 128], &[1, 0, 1])),
    ("an even RSA exponent", |answer| answer.key = rsa_key(&[0xc1; 256], &[1, 0, 0])),
    ("the RSA exponent 1", |answer| answer.key = rsa_key(&[0xc1; 256], &[1])),
    ("an even RSA modulus", |answer| answer.key = rsa_key(&[0xc0; 256], &[1, 0, 1])),
    ("a huge RSA key", |answer| answer.key = rsa_key(&[0xc1; 4_096], &[1, 0, 1])),
    ("no point of Ed25519", |answer| {
        answer.key = [&[0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 32][..], &[2; 32]].concat();
    }),
];

/// Formats and statements of attestations. Nobody asked for one.
fn statements() -> Vec<(&'static str, Vec<u8>)> {
    // DER of r = 1 and s = 1.
    let signature = bytes(&[0x30, 6, 2, 1, 1, 2, 1, 1]);
    let wrong = [&[0xa2][..], &text("alg"), &[0x26], &text("sig"), &signature].concat();
    let of_a_tpm =
        [&[0xa2][..], &text("ver"), &text("2.0"), &text("x5c"), &[0x82], &bytes(b"x"), &bytes(b"y")].concat();
    vec![
        ("none", [&[0xa1][..], &text("sig"), &bytes(b"x")].concat()),
        ("fido-u2f", vec![0xa0]),
        ("packed", vec![0xa0]),
        ("packed", wrong),
        ("tpm", of_a_tpm),
        ("android-key", [&[0x81; 1_000][..], &[0xf6]].concat()),
        ("a-new-format", vec![0xf5]),
    ]
}

async fn refused<'c>(changes: impl IntoIterator<Item = (&'c str, impl Fn(&mut Attesting))>) {
    let stack = Embedded::start(&[]).await;
    let (mut ana, mut authenticator) = prepared(&stack).await;
    for (what, change) in changes {
        let mut answer = authenticator.create(&ana.passkey_options().await);
        change(&mut answer);
        assert_says(&ana.register_passkey(&answer.json()).await, PASSKEY_REFUSED, what);
    }
    assert_eq!(ana.passkeys().await, Vec::<Value>::new());
    assert_says(&ana.add_passkey(&mut authenticator).await, PASSKEY_CREATED, "the valid answer");
}

#[tokio::test]
async fn a_registration_with_wrong_client_data_is_refused() {
    refused(CLIENT_DATA.iter().map(|(what, damage)| (*what, |answer: &mut Attesting| damage(&mut answer.client_data))))
        .await;
}

#[tokio::test]
async fn a_registration_with_wrong_authenticator_data_is_refused() {
    refused(DATA.iter().copied()).await;
}

#[tokio::test]
async fn a_registration_with_a_weak_or_broken_key_is_refused() {
    refused(KEYS.iter().copied()).await;
}

#[tokio::test]
async fn an_attestation_that_nobody_asked_for_decides_nothing() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    for (format, statement) in statements() {
        let mut authenticator = ana.authenticator(Algorithm::Es256).await;
        let mut answer = authenticator.create(&ana.passkey_options().await);
        answer.statement = (format, statement);
        assert_says(&ana.register_passkey(&answer.json()).await, PASSKEY_CREATED, format);
        assert_says(&stack.service.visitor().passkey_login(&mut authenticator).await, LOGGED_IN, format);
    }
    let mut answer = ana.authenticator(Algorithm::Es256).await.create(&ana.passkey_options().await);
    answer.statement = ("none", vec![0x81; 200_000]);
    assert_says(&ana.register_passkey(&answer.json()).await, PASSKEY_REFUSED, "no CBOR");
}

#[tokio::test]
async fn what_a_browser_says_about_transports_attachment_and_extensions_decides_nothing() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let odd = [
        json!([]),
        json!(["cable"]),
        json!(["internal", "telepathy", "internal"]),
        json!("usb"),
        json!([1]),
        Value::Null,
    ];
    for (index, transports) in odd.into_iter().enumerate() {
        let mut authenticator = ana.authenticator(Algorithm::Es256).await;
        let mut answer = authenticator.create(&ana.passkey_options().await);
        if index % 2 == 0 {
            answer.data.flags |= ED;
            answer.extensions = [&[0xa1][..], &text("newExtension"), &[0xf5]].concat();
        }
        let mut answer = answer.json();
        answer["response"]["transports"] = transports.clone();
        answer["response"]["publicKeyAlgorithm"] = json!(-999);
        answer["authenticatorAttachment"] = json!("implant");
        answer["clientExtensionResults"] =
            json!({"credProps": {"rk": false}, "prf": {"enabled": 7}, "newExtension": [1]});
        assert_says(&ana.register_passkey(&answer).await, PASSKEY_CREATED, &transports);
        let mut device = stack.service.visitor();
        let signed = authenticator.get(&device.passkey_login_options().await);
        let mut signed = authenticator.sign(&signed);
        signed["authenticatorAttachment"] = json!("implant");
        signed["clientExtensionResults"] = json!({"prf": {"results": {"first": "AA"}}, "appid": 1});
        assert_says(&device.answer_passkey(&signed).await, LOGGED_IN, &transports);
    }
    let excluded = ana.passkey_options().await["publicKey"]["excludeCredentials"].clone();
    let transports: Vec<&Value> = excluded.as_array().unwrap().iter().map(|excluded| &excluded["transports"]).collect();
    assert_eq!(transports.len(), 6, "{excluded}");
    assert!(transports.contains(&&json!(["hybrid"])) && transports.contains(&&json!(["internal"])), "{excluded}");
}

#[tokio::test]
async fn a_registration_with_a_malformed_attestation_object_is_refused() {
    let stack = Embedded::start(&[]).await;
    let (mut ana, mut authenticator) = prepared(&stack).await;
    let answer = authenticator.create(&ana.passkey_options().await);
    let deep = [vec![0xa1; 1], vec![0x81; 300_000]].concat();
    let tagged = [vec![0xc1; 100_000], vec![0xa0]].concat();
    let endless = vec![0xbf; 50_000];
    let large = [&[0x5b][..], &[0xff; 8], &[0; 16]].concat();
    for object in [&[][..], &[0xa0], &[0xf6], b"garbage", &deep, &tagged, &endless, &large] {
        assert_says(&ana.register_passkey(&answer.json_of(object)).await, PASSKEY_REFUSED, "object");
    }
    assert_eq!(ana.passkeys().await, Vec::<Value>::new());
    assert_says(&ana.register_passkey(&answer.json()).await, PASSKEY_CREATED, "the valid answer");
}

#[tokio::test]
async fn a_registration_with_unexpected_json_is_refused() {
    let stack = Embedded::start(&[]).await;
    let (mut ana, mut authenticator) = prepared(&stack).await;
    let sound = authenticator.create(&ana.passkey_options().await).json();
    let large = encoded(&vec![7; 1 << 20]);
    for (pointer, value) in [
        ("/id", json!("AAAAAAAAAAAAAAAAAAAAAA")),
        ("/rawId", json!(large)),
        ("/type", json!("password")),
        ("/response", json!("text")),
        ("/response/clientDataJSON", json!("not base64url!")),
        ("/response/clientDataJSON", json!(encoded(&[&b"{\"a\":"[..], &b"[".repeat(100_000)].concat()))),
        ("/response/attestationObject", Value::Null),
    ] {
        let mut odd = sound.clone();
        *odd.pointer_mut(pointer).unwrap() = value;
        assert_says(&ana.register_passkey(&odd).await, PASSKEY_REFUSED, pointer);
    }
    for credential in [json!("text"), json!(null), json!({})] {
        assert_says(&ana.register_passkey(&credential).await, PASSKEY_REFUSED, "no credential");
    }
    for body in [json!({"name": "x"}), json!({"credential": sound, "name": 1}), json!([])] {
        assert_says(&ana.json(paths::PASSKEY_REGISTER, body.to_string()).await, INVALID_PARAMETERS, "body");
    }
    for name in ["", "  ", "a\nb", &"x".repeat(201)] {
        let body = json!({"credential": sound, "name": name}).to_string();
        assert_says(&ana.json(paths::PASSKEY_REGISTER, body).await, INVALID_PARAMETERS, name);
    }
    assert_says(&ana.register_passkey(&sound).await, PASSKEY_CREATED, "the valid answer");
}

#[tokio::test]
async fn the_challenge_of_a_registration_is_good_for_one_answer_of_its_account_within_five_minutes() {
    let stack = Embedded::start(&[]).await;
    let (mut ana, mut authenticator) = prepared(&stack).await;
    let (mut eva, mut other) = prepared(&stack).await;
    let options = ana.passkey_options().await;
    let answer = authenticator.create(&options).json();
    let of_another_device = ana.authenticator(Algorithm::Es256).await.create(&options).json();
    assert_says(&eva.register_passkey(&answer).await, PASSKEY_REFUSED, "another account");
    assert_says(&eva.elsewhere().register_passkey(&answer).await, NO_SESSION, "nobody");
    assert_says(&ana.register_passkey(&answer).await, PASSKEY_CREATED, "once");
    assert_says(&ana.register_passkey(&answer).await, PASSKEY_REFUSED, "twice");
    assert_says(&ana.register_passkey(&of_another_device).await, PASSKEY_REFUSED, "another answer");

    // A registration does not accept the challenge of a login.
    let mut login = eva.passkey_login_options().await;
    login["publicKey"]["rp"] = json!({"id": login["publicKey"]["rpId"]});
    login["publicKey"]["user"] = json!({"id": encoded(&[7; 16])});
    assert_says(&eva.register_passkey(&other.create(&login).json()).await, PASSKEY_REFUSED, "a login's");

    let options = eva.passkey_options().await;
    stack.advance(Duration::from_mins(5));
    assert_says(&eva.register_passkey(&other.create(&options).json()).await, PASSKEY_REFUSED, "late");
    let options = eva.passkey_options().await;
    stack.advance(Duration::from_secs(285));
    assert_says(&eva.register_passkey(&other.create(&options).json()).await, PASSKEY_CREATED, "in time");
}

#[tokio::test]
async fn a_credential_belongs_to_one_account() {
    let stack = Embedded::start(&[]).await;
    let (mut ana, mut authenticator) = prepared(&stack).await;
    let (mut eva, _) = prepared(&stack).await;
    assert_says(&ana.add_passkey(&mut authenticator).await, PASSKEY_CREATED, "ana");
    assert_says(&eva.add_passkey(&mut authenticator).await, PASSKEY_REFUSED, "eva");
    assert_says(&ana.add_passkey(&mut authenticator).await, PASSKEY_REFUSED, "ana again");
    assert_eq!((ana.passkeys().await.len(), eva.passkeys().await.len()), (1, 0));
}
