//! What the owner sees of what has happened to the account.

use std::time::Duration;

use journeys::{Service, paths};
use serde_json::Value;

/// How often it is looked whether the stream has delivered the changes, and the pause between two looks.
const LOOKS: usize = 150;
const PAUSE: Duration = Duration::from_millis(200);

#[tokio::test]
async fn the_owner_sees_the_registration_and_the_login_soon_after_them() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let mut body = Value::Null;
    for _ in 0..LOOKS {
        let answer = ana.form(paths::ACTIVITY, &[]).await;
        assert_eq!(answer.success(), true, "{answer:?}");
        body = answer.json();
        let items = body["activity"].as_array().unwrap();
        let seen = |kind: &str, method: Value| {
            items.iter().any(|item| item["kind"] == kind && item["method"] == method && item["count"] == 1)
        };
        if seen("registered", Value::Null) && seen("login", "password".into()) {
            return;
        }
        tokio::time::sleep(PAUSE).await;
    }
    panic!("{body}");
}
