//! Proofs of work for logins, found by ALTCHA's own implementation.

use crate::{Visitor, paths};
use altcha::{Challenge, Payload, SolveChallengeOptions, solve_challenge};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// The service as its own captcha provider, at the lowest cost.
pub const SETTINGS: [(&str, &str); 3] =
    [("CAPTCHA_PROVIDER", "altcha"), ("CAPTCHA_SECRET", "0123456789abcdef0123456789abcdef"), ("CAPTCHA_COST", "1")];

/// A new challenge.
pub async fn challenge(visitor: &Visitor) -> Challenge {
    let answer = visitor.elsewhere().form(paths::CAPTCHA, &[]).await;
    assert_eq!(answer.success(), true, "{answer:?}");
    serde_json::from_value(answer.json()["challenge"].clone()).unwrap()
}

/// A challenge and its solution.
pub fn solved(challenge: Challenge) -> Payload {
    let solution = solve_challenge(SolveChallengeOptions::new(&challenge)).unwrap().unwrap();
    Payload { challenge, solution }
}

/// The token of a payload.
pub fn token(payload: &impl serde::Serialize) -> String {
    STANDARD.encode(serde_json::to_string(payload).unwrap())
}

/// The token of a new proof.
pub async fn proof(visitor: &Visitor) -> String {
    token(&solved(challenge(visitor).await))
}

/// The token of a new proof after a change to its JSON.
pub async fn changed(visitor: &Visitor, change: impl FnOnce(&mut Value)) -> String {
    let mut payload = serde_json::to_value(solved(challenge(visitor).await)).unwrap();
    change(&mut payload);
    token(&payload)
}
