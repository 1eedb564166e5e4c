//! Credentials with a valid signature and invalid claims.

use journeys::{Embedded, Service, Visitor};
use serde_json::{Value, json};
use shared::system::clock::{Clock, SystemClock};

use crate::credentials::refused;

/// The claims that a credential must have.
const REQUIRED: [&str; 7] = ["iss", "aud", "sub", "email", "email_verified", "exp", "iat"];

/// Asserts that a credential with this one changed claim is refused.
async fn refused_with(visitor: &Visitor, name: &str, value: Value) {
    let credential = visitor.credential(json!({name: value})).await;
    let shown = value.to_string();
    refused(visitor, &credential, &format!("{name}: {}", shown.get(..shown.len().min(80)).unwrap_or_default())).await;
}

/// Asserts that a credential with this one changed claim is accepted.
async fn taken_with(name: &str, value: Value) {
    let login = Service::shared().visitor().google(json!({name: value})).await;
    assert_eq!(login.json()["status"], "inserted", "{name}: {value}: {login:?}");
}

fn now() -> u64 {
    SystemClock.now().seconds()
}

#[tokio::test]
async fn every_required_claim_must_be_present() {
    let ana = Service::shared().visitor();
    for name in REQUIRED {
        // The local provider omits a claim that is null.
        refused_with(&ana, name, Value::Null).await;
    }
}

#[tokio::test]
async fn a_claim_of_the_wrong_type_is_refused() {
    let ana = Service::shared().visitor();
    for name in REQUIRED {
        for value in [json!([]), json!({}), json!(-1), json!(1.5), json!("")] {
            refused_with(&ana, name, value).await;
        }
    }
}

#[tokio::test]
async fn an_expired_credential_is_refused_after_a_minutes_leeway() {
    let ana = Service::shared().visitor();
    for ago in [60, 61, 3600, 10 * 365 * 24 * 60 * 60] {
        refused_with(&ana, "exp", json!(now() - ago)).await;
    }
    refused_with(&ana, "exp", json!(0)).await;
    refused_with(&ana, "exp", json!((now() + 3600).to_string())).await;
    taken_with("exp", json!(now() - 30)).await;
    taken_with("exp", json!(u64::MAX)).await;
}

#[tokio::test]
async fn a_credential_from_another_issuer_is_refused() {
    let ana = Service::shared().visitor();
    for iss in [
        json!("https://accounts.google.com/"),
        json!("https://accounts.google.com.evil.example"),
        json!("ACCOUNTS.GOOGLE.COM"),
        json!(["https://evil.example", "https://accounts.google.com"]),
    ] {
        refused_with(&ana, "iss", iss).await;
    }
    taken_with("iss", json!("accounts.google.com")).await;
    taken_with("iss", json!("https://accounts.google.com")).await;
}

#[tokio::test]
async fn a_credential_for_another_client_is_refused() {
    let ana = Service::shared().visitor();
    for aud in [json!("another-client"), json!("LOCAL-CLIENT"), json!(["another-client", "local-client"])] {
        refused_with(&ana, "aud", aud).await;
    }
}

#[tokio::test]
async fn a_credential_for_any_of_the_listed_clients_is_accepted() {
    let listed = "web.example, app.example ,,";
    let stack = Embedded::start(&[("GOOGLE_CLIENT_IDS", listed)]).await;
    for aud in ["web.example", "app.example"] {
        let login = stack.service.visitor().google(json!({"aud": aud})).await;
        assert_eq!(login.json()["status"], "inserted", "{aud}: {login:?}");
    }
    for aud in [listed, "", "web.example, app.example", " app.example "] {
        refused_with(&stack.service.visitor(), "aud", json!(aud)).await;
    }
}
