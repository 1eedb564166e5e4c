//! Logins of an identity whose address has an account.

use journeys::{PASSWORD, Service, paths};
use serde_json::json;

const OTHER_PASSWORD: &str = "OtraClave2";

#[tokio::test]
async fn linking_an_account_with_an_unverified_address_keeps_nothing_of_a_stranger_but_the_avatar() {
    let mut stranger = Service::shared().visitor();
    stranger.register_with(&[("nombre", "Palabra de otra persona"), ("notifications", "on")]).await;
    stranger.login(PASSWORD).await;
    let registered = stranger.session().await;
    let avatar = registered.user("url_image").as_str().unwrap().replace("default", "03");
    let settings = [("name", "Palabra de otra persona"), ("notifications", "on"), ("avatar", &avatar)];
    assert_eq!(stranger.form(paths::USER_CONFIG, &settings).await.success(), true);
    let token = stranger.reset_token().await;

    let mut owner = stranger.elsewhere();
    let login = owner.google(json!({"name": "Otra"})).await;
    assert_eq!(login.json()["status"], "exists");
    assert_eq!(login.user("id"), registered.user("id"));
    assert_eq!(login.user("name"), "Otra", "the name that the stranger chose was kept");
    let session = owner.session().await;
    assert_eq!((session.user("name"), session.user("accept_news")), (json!("Otra"), json!(0)));
    assert_eq!(session.user("url_image"), avatar, "the avatar was not kept");

    assert_eq!(stranger.session().await.status, 401, "the stranger's session is alive");
    let wrong = (200, "Email o contraseña incorrectas".to_owned());
    assert_eq!(stranger.elsewhere().login(PASSWORD).await.sentence(), wrong, "the stranger's password works");
    let invalid = (200, "Token inválido o expirado".to_owned());
    assert_eq!(stranger.reset(&token, OTHER_PASSWORD).await.sentence(), invalid, "the reset token works");
    assert_eq!(owner.session().await.status, 200, "the owner's session ended");
}

#[tokio::test]
async fn an_owner_whose_link_to_google_removed_the_password_can_set_a_new_one() {
    let mut ana = Service::shared().visitor();
    ana.register().await;
    ana.google(json!({})).await;
    ana.reset_to(OTHER_PASSWORD).await;
    assert_eq!(ana.elsewhere().login(OTHER_PASSWORD).await.success(), true);
    assert_eq!(ana.elsewhere().google(json!({})).await.json()["status"], "exists");
    assert_eq!(
        ana.elsewhere().login(OTHER_PASSWORD).await.success(),
        true,
        "the password of the verified address is gone"
    );
}

#[tokio::test]
async fn an_account_with_a_verified_address_keeps_its_password_and_sessions() {
    let mut ana = Service::shared().visitor();
    ana.register_with(&[("notifications", "on")]).await;
    ana.reset_to(OTHER_PASSWORD).await;
    assert_eq!(ana.login(OTHER_PASSWORD).await.success(), true);
    let unused = ana.reset_token().await;

    let linked = ana.elsewhere().google(json!({"name": "Otra"})).await;
    assert_eq!(linked.json()["status"], "exists");
    let kept = ana.session().await;
    assert_eq!(
        (kept.user("name"), kept.user("accept_news")),
        (json!("Ana García"), json!(1)),
        "the name or the newsletter was not kept"
    );
    let session = ana.session().await;
    assert_eq!((session.status, session.user("id")), (200, linked.user("id")));
    assert_eq!(ana.elsewhere().login(OTHER_PASSWORD).await.success(), true);
    assert_eq!(ana.elsewhere().reset(&unused, PASSWORD).await.success(), true, "the reset token is gone");
}

#[tokio::test]
async fn a_later_registration_gives_an_account_from_google_no_password() {
    let mut ana = Service::shared().visitor();
    ana.google(json!({})).await;
    assert_eq!(ana.elsewhere().register().await.success(), false);
    assert_eq!(ana.elsewhere().login(PASSWORD).await.success(), false);
}

#[tokio::test]
async fn a_second_identity_of_an_address_takes_over_the_account_and_ends_its_sessions() {
    let mut ana = Service::shared().visitor();
    let (old, new) = (format!("old-{}", ana.email), format!("new-{}", ana.email));
    let first = ana.google(json!({"sub": old})).await;
    let mut owner = ana.elsewhere();
    let second = owner.google(json!({"sub": new})).await;
    assert_eq!(second.json(), json!({"status": "exists", "user": first.json()["user"]}));
    assert_eq!(ana.session().await.status, 401, "the first identity's session is alive");
    assert_eq!(owner.session().await.status, 200);

    // The first identity is not linked any more, so under another address it gets a new account.
    let elsewhere = Service::shared().visitor().google(json!({"sub": old})).await;
    assert_eq!(elsewhere.json()["status"], "inserted");
    assert_ne!(elsewhere.user("id"), first.user("id"));
}
