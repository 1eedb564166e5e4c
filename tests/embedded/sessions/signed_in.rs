//! The time of a session's login. A session that replaces another keeps it. With `RECENT_LOGIN_SECONDS`, a session can
//! end other sessions from the list only for this long after its login.

use journeys::sentences::{INVALID_PARAMETERS, LOGGED_IN, LOGGED_OUT, LOGIN_TOO_OLD, NO_SESSION, assert_says};
use journeys::{Embedded, PASSWORD, paths};

use super::lifetimes::{SLACK, advance, is_alive};

const OTHERS: [(&str, &str); 1] = [("others", "on")];

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

#[tokio::test]
async fn other_sessions_are_ended_only_soon_after_a_login() {
    let (stack, mut ana) = Embedded::signed_in(&[("RECENT_LOGIN_SECONDS", "600")]).await;
    let mut phone = ana.elsewhere();
    phone.login(PASSWORD).await;
    let id = ana.other_sessions().await.remove(0);

    advance(&stack, 600 + SLACK);
    assert_says(&ana.form(paths::CLOSE_SESSION, &[("id", &id)]).await, LOGIN_TOO_OLD, "one");
    assert_says(&ana.form(paths::CLOSE_SESSION, &OTHERS).await, LOGIN_TOO_OLD, "all");
    assert_says(&ana.form(paths::CLOSE_SESSION, &[("id", "AAAAAAAAAAAA")]).await, INVALID_PARAMETERS, "an unknown one");
    assert!(is_alive(&phone).await && is_alive(&ana).await);

    assert_says(&ana.login(PASSWORD).await, LOGGED_IN, "again");
    assert_says(&ana.form(paths::CLOSE_SESSION, &[("id", &id)]).await, LOGGED_OUT, "one");
    assert_says(&phone.session().await, NO_SESSION, "the closed one");

    advance(&stack, 400);
    assert_says(&ana.form(paths::CLOSE_SESSION, &OTHERS).await, LOGGED_OUT, "all");
    advance(&stack, 200 + SLACK);
    assert_says(&ana.form(paths::CLOSE_SESSION, &OTHERS).await, LOGIN_TOO_OLD, "the new session is no login");
    let own = ana.sessions().await[0]["id"].as_str().unwrap().to_owned();
    assert_says(&ana.form(paths::CLOSE_SESSION, &[("id", &own)]).await, LOGGED_OUT, "one's own needs no recent login");
}
