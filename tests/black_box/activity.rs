//! What the owner sees of what has happened to the account.

use std::time::Duration;

use journeys::{Service, paths};
use serde_json::Value;

/// How long the stream may take.
const PATIENCE: Duration = Duration::from_secs(30);

#[tokio::test]
async fn the_owner_sees_the_registration_and_the_login_soon_after_them() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let started = tokio::time::Instant::now();
    loop {
        let answer = ana.form(paths::ACTIVITY, &[]).await;
        assert_eq!(answer.success(), true, "{answer:?}");
        let body = answer.json();
        let seen = |kind: &str, method: Value| {
            let items = body["activity"].as_array().unwrap();
            items.iter().any(|item| item["kind"] == kind && item["method"] == method && item["count"] == 1)
        };
        if seen("registered", Value::Null) && seen("login", "password".into()) {
            return;
        }
        assert!(started.elapsed() < PATIENCE, "{body}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
