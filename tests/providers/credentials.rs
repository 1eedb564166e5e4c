//! Invalid credentials: wrong algorithm, key, header or format.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use journeys::Visitor;
use journeys::sentences::{INVALID_CREDENTIAL, assert_says};
use ring::hmac;
use ring::signature::{RSA_PKCS1_SHA384, RSA_PKCS1_SHA512, RSA_PSS_SHA256, RsaEncoding};
use serde_json::{Value, json};

use crate::provider::{KeyServer, Script, Trusting, present};
use crate::provider::{Signer, claims, unsigned};

/// A stack that trusts the provider's key, and a visitor whose valid credential it has accepted once. The visitor has
/// no session.
async fn trusting() -> (Trusting, Visitor) {
    let trusting = Trusting::start(Script::of(Signer::provider())).await;
    let mut ana = trusting.visitor();
    let honest = Signer::provider().credential(&ana.email);
    let honest = present(&mut ana, &honest).await;
    assert_eq!(honest.status, 200, "{honest:?}");
    let ana = ana.elsewhere();
    (trusting, ana)
}

/// Asserts that a credential is refused, and that no session is opened.
pub(crate) async fn refused(visitor: &Visitor, credential: &str, why: &str) {
    let answer = present(&mut visitor.elsewhere(), credential).await;
    assert_says(&answer, INVALID_CREDENTIAL, why);
    assert!(answer.set_cookies().is_empty(), "{why}");
}

/// A valid header with these members added or replaced. A null member is removed.
fn header(members: Value) -> Value {
    let mut header = Signer::provider().header();
    let Value::Object(members) = members else { return header };
    header.as_object_mut().unwrap().extend(members);
    header.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    header
}

#[tokio::test]
async fn a_credential_without_a_signature_is_refused() {
    let (_trusting, ana) = trusting().await;
    let payload = claims(&ana.email).to_string();
    let (_, signature) = Signer::provider().credential(&ana.email).rsplit_once('.').map(own).unwrap();
    for alg in ["none", "None", "NONE", "nOnE", ""] {
        let start = unsigned(&header(json!({"alg": alg})), &payload);
        refused(&ana, &format!("{start}."), alg).await;
        refused(&ana, &start, alg).await;
        refused(&ana, &format!("{start}.{signature}"), alg).await;
    }
    let start = unsigned(&Signer::provider().header(), &payload);
    refused(&ana, &format!("{start}."), "an empty signature").await;
}

fn own((start, end): (&str, &str)) -> (String, String) {
    (start.to_owned(), end.to_owned())
}

#[tokio::test]
async fn a_public_or_empty_key_is_not_accepted_as_an_hmac_secret() {
    let (_trusting, ana) = trusting().await;
    let payload = claims(&ana.email).to_string();
    let [der, pem] = Signer::provider().public_texts();
    let modulus = Signer::provider().jwk()["n"].as_str().unwrap().as_bytes().to_vec();
    let jwk = Signer::provider().jwk().to_string().into_bytes();
    for (algorithm, name) in [(hmac::HMAC_SHA256, "HS256"), (hmac::HMAC_SHA384, "HS384"), (hmac::HMAC_SHA512, "HS512")]
    {
        let start = unsigned(&header(json!({"alg": name})), &payload);
        for key in [&der, &pem, &modulus, &jwk, &Vec::new()] {
            let tag = hmac::sign(&hmac::Key::new(algorithm, key), start.as_bytes());
            refused(&ana, &format!("{start}.{}", URL_SAFE_NO_PAD.encode(tag)), name).await;
        }
    }
}

#[tokio::test]
async fn the_right_key_with_another_algorithm_is_refused() {
    let (_trusting, ana) = trusting().await;
    let payload = claims(&ana.email).to_string();
    let algorithms: [(&str, &'static dyn RsaEncoding); 3] =
        [("RS384", &RSA_PKCS1_SHA384), ("RS512", &RSA_PKCS1_SHA512), ("PS256", &RSA_PSS_SHA256)];
    for (name, algorithm) in algorithms {
        let honest = Signer::provider().sign_text(algorithm, &header(json!({"alg": name})), &payload);
        refused(&ana, &honest, name).await;
        let mislabelled = Signer::provider().sign_text(algorithm, &header(json!({})), &payload);
        refused(&ana, &mislabelled, name).await;
    }
    for name in ["RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA", "rs256", "RS256 "] {
        let mislabelled = Signer::provider().sign(&header(json!({"alg": name})), &claims(&ana.email));
        refused(&ana, &mislabelled, name).await;
    }
    for alg in [Value::Null, json!(256), json!(["RS256"])] {
        let unlabelled = Signer::provider().sign(&header(json!({"alg": alg})), &claims(&ana.email));
        refused(&ana, &unlabelled, &alg.to_string()).await;
    }
}

#[tokio::test]
async fn a_credential_that_was_changed_is_refused() {
    let (trusting, ana) = trusting().await;
    let eva = trusting.visitor();
    let honest = Signer::provider().credential(&eva.email);
    let [head, payload, signature]: [&str; 3] = honest.split('.').collect::<Vec<_>>().try_into().unwrap();
    let foreign = URL_SAFE_NO_PAD.encode(claims(&ana.email).to_string());
    refused(&ana, &format!("{head}.{foreign}.{signature}"), "another payload").await;

    let mut bytes = URL_SAFE_NO_PAD.decode(signature).unwrap();
    for place in [0, 128, 255] {
        bytes[place] ^= 1;
        refused(&ana, &format!("{head}.{payload}.{}", URL_SAFE_NO_PAD.encode(&bytes)), "another signature").await;
        bytes[place] ^= 1;
    }
    refused(&ana, &format!("{head}.{payload}.{}", URL_SAFE_NO_PAD.encode(&bytes[1..])), "a short signature").await;
    let zeros = URL_SAFE_NO_PAD.encode([0; 256]);
    refused(&ana, &format!("{head}.{payload}.{zeros}"), "zeros").await;
    let other_head = URL_SAFE_NO_PAD.encode(header(json!({"typ": "jwt"})).to_string());
    refused(&ana, &format!("{other_head}.{payload}.{signature}"), "another header").await;
    assert_eq!(present(&mut eva.elsewhere(), &honest).await.status, 200, "the unchanged one");
}

#[tokio::test]
async fn a_key_inside_the_credential_is_never_used() {
    let (_trusting, ana) = trusting().await;
    let other = Signer::other();
    let attacker = KeyServer::start(Script::keys(&[other.jwk()])).await;
    for kid in [Signer::provider().kid(), other.kid()] {
        for members in [
            json!({"jku": attacker.url, "x5u": attacker.url}),
            json!({"jwk": other.jwk()}),
            json!({"x5c": [URL_SAFE_NO_PAD.encode(&other.public_texts()[0])]}),
        ] {
            let mut header = header(members.clone());
            header["kid"] = kid.into();
            refused(&ana, &other.sign(&header, &claims(&ana.email)), &format!("{kid} {members}")).await;
        }
    }
    assert_eq!(attacker.fetches(), 0, "keys were fetched from a URL in the credential");
}
