//! The service as its own captcha provider: challenges, and the proofs of work of logins.

use std::collections::BTreeSet;
use std::time::Duration;

use altcha::{VerifySolutionOptions, verify_solution};
use futures_util::future::join_all;
use journeys::sentences::{INVALID_PARAMETERS, LOGGED_IN, REGISTERED, WRONG_CREDENTIALS, assert_says};
use journeys::{Answer, Embedded, PASSWORD, Visitor, paths, rows};
use serde_json::{Value, json};

use journeys::proofs::{SETTINGS, challenge, changed, proof, solved, token};

const REFUSED: (u16, &str) = (200, "Captcha inválido");
const FIVE_MINUTES: Duration = Duration::from_mins(5);

async fn start(further: &[(&str, &str)]) -> (Embedded, Visitor) {
    let stack = Embedded::start(&[&SETTINGS[..], further].concat()).await;
    let mut ana = stack.service.visitor();
    assert_says(&ana.register().await, REGISTERED, "a registration");
    (stack, ana)
}

async fn login(visitor: &Visitor, password: &str, proof: &str) -> Answer {
    let fields = [("email", &*visitor.email), ("password", password), ("g-captcha-response", proof)];
    visitor.elsewhere().form(paths::LOGIN, &fields).await
}

/// The sort keys of the table's rows.
async fn kinds(stack: &Embedded) -> BTreeSet<String> {
    stack.items("accounts").await.iter().map(|row| rows::text(row, "sk")).collect()
}

#[tokio::test]
async fn a_service_that_is_not_its_own_provider_has_no_challenges() {
    for settings in
        [&[][..], &[("CAPTCHA_PROVIDER", "none")], &[("CAPTCHA_PROVIDER", "turnstile"), ("CAPTCHA_SECRET", "x")]]
    {
        let stack = Embedded::start(settings).await;
        let answer = stack.service.visitor().form(paths::CAPTCHA, &[]).await;
        assert_says(&answer, INVALID_PARAMETERS, settings);
    }
}

#[tokio::test]
async fn altchas_library_accepts_a_challenge_and_its_signature() {
    let (stack, ana) = start(&[]).await;
    let challenge = challenge(&ana).await;
    let expires_at = u64::try_from(challenge.parameters.expires_at.unwrap()).unwrap();
    assert!((295..=300).contains(&(expires_at - stack.now().seconds())), "{expires_at}");
    let payload = solved(challenge);
    let options = VerifySolutionOptions::new(&payload.challenge, &payload.solution, SETTINGS[1].1);
    assert!(verify_solution(options).unwrap().verified);
}

#[tokio::test]
async fn challenges_cost_no_call_to_the_table_and_are_never_the_same() {
    let (stack, ana) = start(&[]).await;
    drop(stack.table.calls());
    let challenges = join_all((0..8).map(|_| challenge(&ana))).await;
    let nonces: BTreeSet<_> = challenges.iter().map(|challenge| &challenge.parameters.nonce).collect();
    assert_eq!((nonces.len(), stack.table.calls().len()), (8, 0));
}

#[tokio::test]
async fn a_proof_is_good_for_one_login_attempt() {
    let (stack, ana) = start(&[]).await;
    let first = proof(&ana).await;
    drop(stack.table.calls());
    assert_says(&login(&ana, PASSWORD, &first).await, LOGGED_IN, "the first login");
    assert_eq!(stack.table.calls(), ["PutItem", "Query", "PutItem"], "one call more than without a proof");
    assert_says(&login(&ana, PASSWORD, &first).await, REFUSED, "a replay");
    let second = proof(&ana).await;
    assert_says(&login(&ana, "Otra1234", &second).await, WRONG_CREDENTIALS, "a wrong password");
    assert_says(&login(&ana, PASSWORD, &second).await, REFUSED, "a replay after a wrong password");
    assert_says(&login(&stack.service.visitor(), PASSWORD, &first).await, REFUSED, "a replay for another address");
}

#[tokio::test]
async fn one_of_many_parallel_uses_of_a_proof_is_accepted() {
    let (_stack, ana) = start(&[]).await;
    let proof = proof(&ana).await;
    let answers = join_all((0..16).map(|_| login(&ana, "Otra1234", &proof))).await;
    let accepted =
        answers.iter().filter(|answer| answer.sentence() == (WRONG_CREDENTIALS.0, WRONG_CREDENTIALS.1.to_owned()));
    assert_eq!(accepted.count(), 1);
}

#[tokio::test]
async fn another_spelling_of_a_used_proof_is_still_used() {
    let (_stack, ana) = start(&[]).await;
    let payload = solved(challenge(&ana).await);
    assert_says(&login(&ana, PASSWORD, &token(&payload)).await, LOGGED_IN, "the first login");
    let mut other = serde_json::to_value(&payload).unwrap();
    other["solution"]["time"] = json!(7);
    other["challenge"]["extra"] = json!("x");
    let signature = other["challenge"]["signature"].as_str().unwrap().to_uppercase();
    other["challenge"]["signature"] = json!(signature);
    assert_says(&login(&ana, PASSWORD, &token(&other)).await, REFUSED, "another spelling");
    let nonce = other["challenge"]["parameters"]["nonce"].as_str().unwrap().to_uppercase();
    other["challenge"]["parameters"]["nonce"] = json!(nonce);
    assert_says(&login(&ana, PASSWORD, &token(&other)).await, REFUSED, "another spelling of the nonce");
}

#[tokio::test]
async fn a_proof_expires_after_five_minutes_and_its_row_a_minute_later() {
    let (stack, ana) = start(&[]).await;
    let (early, late) = (proof(&ana).await, proof(&ana).await);
    stack.advance(FIVE_MINUTES.saturating_sub(Duration::from_secs(5)));
    assert_says(&login(&ana, PASSWORD, &early).await, LOGGED_IN, "before the end");
    stack.advance(Duration::from_secs(5));
    assert_says(&login(&ana, PASSWORD, &late).await, REFUSED, "after the end");
    let rows = stack.items("accounts").await;
    let spent: Vec<_> = rows.iter().filter(|row| rows::text(row, "sk") == "spent").collect();
    assert_eq!(spent.len(), 1);
    let expires_at: u64 = rows::text(spent[0], "expires_at").parse().unwrap();
    assert!((30..=60).contains(&(expires_at - stack.now().seconds())), "{expires_at}");
    assert!(spent[0].keys().all(|name| ["pk", "sk", "expires_at", "nonce"].contains(&name.as_str())));
}

#[tokio::test]
async fn a_forged_or_wrong_proof_is_refused_before_any_call_to_the_table() {
    let (stack, ana) = start(&[]).await;
    let set = |path: &'static str, value: Value| move |payload: &mut Value| *payload.pointer_mut(path).unwrap() = value;
    let elsewhere =
        Embedded::start(&[SETTINGS[0], ("CAPTCHA_SECRET", "another-secret-of-32-characters!"), SETTINGS[2]]).await;
    let tokens = [
        "x".to_owned(),
        "e30=".to_owned(),
        "x".repeat(100_000),
        proof(&elsewhere.service.visitor()).await,
        changed(&ana, set("/challenge/parameters/expiresAt", json!(9_999_999_999_u64))).await,
        changed(&ana, set("/challenge/parameters/keyPrefix", json!(""))).await,
        changed(&ana, set("/challenge/parameters/cost", json!(0))).await,
        changed(&ana, set("/challenge/parameters/algorithm", json!("SHA-256"))).await,
        changed(&ana, set("/challenge/parameters/nonce", json!("00".repeat(16)))).await,
        changed(&ana, set("/challenge/signature", json!(""))).await,
        changed(&ana, set("/challenge/signature", json!("00".repeat(32)))).await,
        changed(&ana, set("/solution/derivedKey", json!("00".repeat(32)))).await,
        changed(&ana, set("/solution/counter", json!(-1))).await,
        changed(&ana, |payload| {
            let counter = payload["solution"]["counter"].as_u64().unwrap();
            payload["solution"]["counter"] = json!(counter + 1);
        })
        .await,
    ];
    drop(stack.table.calls());
    for token in tokens {
        let answer = login(&ana, PASSWORD, &token).await;
        assert_says(&answer, REFUSED, &token[..token.len().min(60)]);
    }
    assert!(stack.table.calls().is_empty());
    assert!(!kinds(&stack).await.contains("spent"));
}

#[tokio::test]
async fn a_counter_whose_key_lacks_the_prefix_is_no_solution() {
    let (_stack, ana) = start(&[]).await;
    let mut challenge = challenge(&ana).await;
    let signed = challenge.parameters.key_prefix.clone();
    // The solver looks for another prefix, so the key matches the counter but not the challenge.
    challenge.parameters.key_prefix = "ff".to_owned();
    let mut payload = solved(challenge);
    payload.challenge.parameters.key_prefix = signed;
    assert_says(&login(&ana, PASSWORD, &token(&payload)).await, REFUSED, "another prefix");
}

#[tokio::test]
async fn a_secret_that_is_too_short_signs_no_challenge() {
    let stack = Embedded::start(&[SETTINGS[0], ("CAPTCHA_SECRET", "0123456789abcdef0123456789abcde")]).await;
    assert_eq!(stack.service.visitor().form(paths::CAPTCHA, &[]).await.status, 500);
    assert!(stack.log().iter().any(|line| line.contains("secret shorter than 32 bytes")));
}

#[tokio::test]
async fn settings_that_cannot_work_together_are_faults() {
    let stack = Embedded::start(&[]).await;
    let altcha = ("CAPTCHA_PROVIDER", "altcha");
    let secret = ("CAPTCHA_SECRET_ARN", "arn:x");
    let (score, host) = (("CAPTCHA_MIN_SCORE", "0.5"), ("CAPTCHA_HOSTNAME", "app.example"));
    let of = |provider: &'static str| [("CAPTCHA_PROVIDER", provider), secret, score];
    let missing = "CAPTCHA_SECRET_ARN is missing, and CAPTCHA_PROVIDER is altcha";
    let unsupported = "CAPTCHA_PROVIDER is altcha, which does not support";
    let only_recaptcha = "CAPTCHA_MIN_SCORE is set, and of all providers only recaptcha";
    let rows = [
        ("Login", &[altcha][..], missing),
        ("Captcha", &[altcha], missing),
        ("Login", &[altcha, secret, host], unsupported),
        ("Login", &of("altcha"), unsupported),
        ("Login", &of("hcaptcha"), only_recaptcha),
        ("Login", &of("turnstile"), only_recaptcha),
        ("Login", &[("CAPTCHA_PROVIDER", "friendly")], "CAPTCHA_PROVIDER must be none or"),
        ("Captcha", &[altcha, secret, ("CAPTCHA_COST", "0")], "CAPTCHA_COST must be"),
        ("Captcha", &[altcha, secret, ("CAPTCHA_COST", "100001")], "CAPTCHA_COST must be"),
    ];
    for (function, settings, expected) in rows {
        let faults =
            local::start_function(function, &stack.setup(settings)).err().map(|error| error.faults().join("\n"));
        assert!(faults.as_deref().is_some_and(|faults| faults.contains(expected)), "{settings:?}: {faults:?}");
    }
    for function in ["Login", "Captcha"] {
        assert!(local::start_function(function, &stack.setup(&[altcha, secret])).is_ok(), "{function}");
    }
}
