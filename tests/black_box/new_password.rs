//! A new password, set in the settings.

use journeys::sentences::{CONFIGURED, INVALID_TOKEN, LOGGED_IN, NO_SESSION, WRONG_CREDENTIALS, assert_says};
use journeys::{Answer, PASSWORD, Service, Visitor, paths};

use crate::fields::{JUST_STRONG_PASSWORDS, NEW_PASSWORD};

/// The settings form with a name and this password.
async fn change(visitor: &mut Visitor, password: &str) -> Answer {
    let fields = [("name", "Ana"), ("password", password), ("confirm_password", password)];
    visitor.form(paths::USER_CONFIG, &fields).await
}

#[tokio::test]
async fn a_new_password_gives_the_caller_a_fresh_session() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let mut old = ana.clone();
    let answer = change(&mut ana, NEW_PASSWORD).await;
    insta::assert_snapshot!(answer.whole(), @r#"
    200
    cache-control: no-store
    content-type: application/json; charset=utf-8
    x-content-type-options: nosniff
    set-cookie: session=[token]; HttpOnly; SameSite=Lax; Path=/; Max-Age=604800
    {
      "success": true,
      "message": "Configuración actualizada correctamente"
    }
    "#);
    assert_ne!(ana.cookie, old.cookie);
    assert_eq!(ana.session().await.user("name"), "Ana");
    assert_says(&old.session().await, NO_SESSION, "the old cookie");
}

#[tokio::test]
async fn a_new_password_replaces_the_old_one() {
    let mut ana = Service::shared().visitor().signed_in().await;
    change(&mut ana, NEW_PASSWORD).await;
    assert_says(&ana.elsewhere().login(PASSWORD).await, WRONG_CREDENTIALS, "old");
    assert_says(&ana.elsewhere().login(NEW_PASSWORD).await, LOGGED_IN, "new");
}

#[tokio::test]
async fn a_new_password_may_be_any_that_meets_the_policy() {
    let mut ana = Service::shared().visitor().signed_in().await;
    for password in JUST_STRONG_PASSWORDS.into_iter().chain([" Contra seña1\0", PASSWORD, PASSWORD]) {
        assert_says(&change(&mut ana, password).await, CONFIGURED, password);
        assert_says(&ana.elsewhere().login(password).await, LOGGED_IN, password);
    }
}

#[tokio::test]
async fn a_new_password_ends_every_other_session() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let (mut phone, mut tablet) = (ana.elsewhere(), ana.elsewhere());
    phone.login(PASSWORD).await;
    tablet.login(PASSWORD).await;
    change(&mut ana, NEW_PASSWORD).await;
    for other in [&mut phone, &mut tablet] {
        assert_says(&other.session().await, NO_SESSION, "session");
        assert_says(&other.form(paths::USER_CONFIG, &[("name", "Ana")]).await, NO_SESSION, "settings");
    }
}

#[tokio::test]
async fn a_new_password_ends_the_reset_token() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let token = ana.reset_token().await;
    change(&mut ana, NEW_PASSWORD).await;
    assert_says(&ana.elsewhere().reset(&token, "Otra-Clave-3").await, INVALID_TOKEN, "token");
}

#[tokio::test]
async fn settings_without_a_password_end_no_session() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let mut phone = ana.elsewhere();
    phone.login(PASSWORD).await;
    let answer = change(&mut ana, "").await;
    assert_says(&answer, CONFIGURED, "empty password");
    assert!(answer.set_cookies().is_empty(), "{answer:?}");
    assert_eq!((ana.session().await.status, phone.session().await.status), (200, 200));
    assert_says(&ana.elsewhere().login(PASSWORD).await, LOGGED_IN, "the same password");
}
