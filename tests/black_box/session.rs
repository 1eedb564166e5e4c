//! The session endpoint, and logout.

use journeys::sentences::{DELETED, LOGGED_OUT, NO_SESSION, NO_SESSION_EMAIL, assert_says};
use journeys::{PASSWORD, Service, paths};
use reqwest::header::CONTENT_TYPE;

#[tokio::test]
async fn logout_ends_the_session_and_removes_the_cookie() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let answer = ana.form(paths::LOGOUT, &[]).await;
    insta::assert_snapshot!(answer.whole(), @r#"
    200
    cache-control: no-store
    content-type: application/json; charset=utf-8
    x-content-type-options: nosniff
    set-cookie: session=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0
    {
      "success": true,
      "message": "Sesión cerrada correctamente"
    }
    "#);
    assert_eq!(ana.cookie, None);
}

#[tokio::test]
async fn the_cookie_of_a_logged_out_session_is_dead_on_the_server() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let mut thief = ana.clone();
    ana.form(paths::LOGOUT, &[]).await;
    assert_says(&thief.session().await, NO_SESSION, "session");
    assert_says(&thief.form(paths::USER_CONFIG, &[("name", "Eva")]).await, NO_SESSION, "settings");
    assert_says(&thief.form(paths::EXPORT_ACCOUNT, &[]).await, NO_SESSION, "export");
    assert_says(&thief.form(paths::DELETE_ACCOUNT, &[]).await, NO_SESSION_EMAIL, "deletion");
    assert!(thief.cookie.is_some(), "the thief has lost the cookie");
}

#[tokio::test]
async fn logout_ends_only_the_session_of_this_device() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let mut phone = ana.on_another_device().await;
    ana.form(paths::LOGOUT, &[]).await;
    assert_eq!(phone.session().await.status, 200);
}

#[tokio::test]
async fn logout_without_a_session_succeeds_and_sets_no_cookie() {
    let answer = Service::shared().visitor().form(paths::LOGOUT, &[]).await;
    assert_says(&answer, LOGGED_OUT, "answer");
}

#[tokio::test]
async fn logout_with_the_cookie_of_an_ended_session_succeeds_and_removes_it() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let mut tab = ana.clone();
    ana.form(paths::LOGOUT, &[]).await;
    let answer = tab.form(paths::LOGOUT, &[]).await;
    assert_says(&answer, LOGGED_OUT, "again");
    assert!(answer.ended(), "{answer:?}");
}

#[tokio::test]
async fn session_logout_and_deletion_ignore_their_body() {
    let mut ana = Service::shared().visitor().signed_in().await;
    for (content_type, body) in [
        ("text/plain", "hola"),
        ("application/json", "{"),
        ("multipart/form-data", "--x"),
        ("application/x-www-form-urlencoded", "a=%ff&a=1&a=2"),
    ] {
        let request = ana.request(paths::SESSION).header(CONTENT_TYPE, content_type).body(body);
        assert_eq!(ana.send(request).await.status, 200, "{content_type}");
    }
    let request = ana.request(paths::LOGOUT).header(CONTENT_TYPE, "application/json").body("{");
    assert_says(&ana.send(request).await, LOGGED_OUT, "logout");
    ana.login(PASSWORD).await;
    assert_says(&ana.json(paths::DELETE_ACCOUNT, "{").await, DELETED, "deletion");
}
