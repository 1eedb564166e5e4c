//! Deletion of the account.

use journeys::sentences::{
    DELETED, INVALID_TOKEN, LOGGED_IN, NO_SESSION, NO_SESSION_EMAIL, REGISTERED, UNKNOWN_EMAIL, WRONG_CREDENTIALS,
    assert_says,
};
use journeys::{PASSWORD, Service, paths};

#[tokio::test]
async fn an_account_is_deleted_by_its_session() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let answer = ana.form(paths::DELETE_ACCOUNT, &[]).await;
    insta::assert_snapshot!(answer.whole(), @r#"
    200
    cache-control: no-store
    content-type: application/json; charset=utf-8
    x-content-type-options: nosniff
    set-cookie: session=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0
    {
      "success": true,
      "message": "Usuario eliminado correctamente."
    }
    "#);
    assert_eq!(ana.cookie, None);
}

#[tokio::test]
async fn a_deleted_account_is_treated_like_an_unknown_address() {
    let mut ana = Service::shared().visitor().signed_in().await;
    ana.form(paths::DELETE_ACCOUNT, &[]).await;
    let unknown = Service::shared().visitor().login(PASSWORD).await;
    let login = ana.login(PASSWORD).await;
    assert_says(&login, WRONG_CREDENTIALS, "login");
    assert_eq!(login.text, unknown.text, "the answer is the same as for an unknown address");
    assert_says(&ana.ask_for_reset().await, UNKNOWN_EMAIL, "reset");
}

#[tokio::test]
async fn every_device_is_signed_out_at_once() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let (mut phone, mut same) = (ana.elsewhere(), ana.clone());
    assert_says(&phone.login(PASSWORD).await, LOGGED_IN, "phone");
    ana.form(paths::DELETE_ACCOUNT, &[]).await;
    for state in ["deleted", "registered again"] {
        for device in [&mut phone, &mut same] {
            assert_says(&device.session().await, NO_SESSION, state);
            assert_says(&device.form(paths::USER_CONFIG, &[("name", "Eva")]).await, NO_SESSION, state);
            assert_says(&device.form(paths::DELETE_ACCOUNT, &[]).await, NO_SESSION_EMAIL, state);
        }
        ana.register().await;
    }
    assert_eq!(ana.login(PASSWORD).await.user("name"), "Ana García");
}

#[tokio::test]
async fn the_reset_token_of_a_deleted_account_is_not_valid_for_a_later_account() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let token = ana.reset_token().await;
    ana.form(paths::DELETE_ACCOUNT, &[]).await;
    assert_says(&ana.reset(&token, "Otra-Clave-3").await, INVALID_TOKEN, "deleted");
    ana.register().await;
    assert_says(&ana.reset(&token, "Otra-Clave-3").await, INVALID_TOKEN, "registered again");
    assert_says(&ana.login(PASSWORD).await, LOGGED_IN, "with the password of the new account");
}

#[tokio::test]
async fn registering_the_address_of_a_deleted_account_creates_another_account() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let fields = [("name", "Eva"), ("notifications", "on")];
    ana.form(paths::USER_CONFIG, &fields).await;
    let first = ana.session().await.user("id");
    ana.form(paths::DELETE_ACCOUNT, &[]).await;
    assert_says(&ana.register().await, REGISTERED, "again");
    let login = ana.login(PASSWORD).await;
    assert_ne!(login.user("id"), first);
    assert_eq!((login.user("name"), login.user("accept_news")), ("Ana García".into(), 0.into()));
}

#[tokio::test]
async fn deletion_erases_the_account_of_the_session_and_no_other() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let mut eva = Service::shared().visitor().signed_in().await;
    let email = eva.email.clone();
    let session = eva.session().await;
    let (before, id) = (session.text.clone(), session.user("id").to_string());
    assert_says(&ana.form(paths::DELETE_ACCOUNT, &[("email", &email), ("id", &id)]).await, DELETED, "deletion");
    assert_says(&ana.elsewhere().login(PASSWORD).await, WRONG_CREDENTIALS, "the account of the session");
    assert_eq!(eva.session().await.text, before);
    assert_says(&eva.elsewhere().login(PASSWORD).await, LOGGED_IN, "the other account");
}
