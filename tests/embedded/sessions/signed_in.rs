//! The time of a session's login. A session that replaces another keeps it.

use std::time::Duration;

use journeys::{Embedded, Visitor, paths};

/// The longest real time of a test on a busy machine.
const SLACK: u64 = 20;
const OTHERS: [(&str, &str); 1] = [("others", "on")];

fn advance(stack: &Embedded, seconds: u64) {
    stack.advance(Duration::from_secs(seconds));
}

async fn is_alive(visitor: &Visitor) -> bool {
    visitor.clone().session().await.status == 200
}

#[tokio::test]
async fn a_session_that_replaces_another_keeps_its_end() {
    let stack = Embedded::start(&[("SESSION_ABSOLUTE_SECONDS", "600")]).await;
    let password = [("name", "Ana"), ("password", "Distinta-2026"), ("confirm_password", "Distinta-2026")];
    for (path, form) in [(paths::CLOSE_SESSION, OTHERS.as_slice()), (paths::USER_CONFIG, &password)] {
        let mut ana = stack.service.visitor().signed_in().await;
        for _ in 0..2 {
            advance(&stack, 280);
            let answer = ana.form(path, form).await;
            assert!(answer.opened().is_some(), "{path}: {answer:?}");
            assert!(is_alive(&ana).await, "{path}");
        }
        advance(&stack, 41 + SLACK);
        assert!(!is_alive(&ana).await, "{path}: a stolen cookie would live for ever");
    }
}
