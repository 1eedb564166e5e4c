//! Login with the identity provider: accounts, sessions, and bodies without a credential.

use journeys::{PASSWORD, Service, paths};
use serde_json::{Value, json};

#[tokio::test]
async fn an_unknown_identity_gets_an_account_and_a_session() {
    let mut ana = Service::shared().visitor();
    let login = ana.google(json!({})).await;
    insta::assert_snapshot!(login.whole(), @r#"
    200
    cache-control: no-store
    content-type: application/json; charset=utf-8
    x-content-type-options: nosniff
    set-cookie: session=[token]; HttpOnly; SameSite=Lax; Path=/; Max-Age=604800
    {
      "status": "inserted",
      "user": {
        "id": "[id]",
        "email": "[email]",
        "name": "Ana García"
      }
    }
    "#);
    assert_eq!(login.user("email"), ana.email);
    let id = login.user("id").as_u64().unwrap();
    assert!((1..1 << 53).contains(&id), "{id}");

    let session = ana.session().await;
    assert!(session.user("url_image").as_str().unwrap().ends_with("/assets/avatars/default.jpeg"), "{session:?}");
    assert_eq!((session.user("name"), session.user("accept_news")), (json!("Ana García"), json!(0)));
    assert_eq!((session.user("id"), session.user("email")), (json!(id), json!(ana.email)));
}

#[tokio::test]
async fn an_identity_keeps_its_account_and_its_stored_address_when_its_address_changes() {
    let service = Service::shared();
    let mut ana = service.visitor();
    let sub = format!("sub-{}", ana.email);
    let first = ana.google(json!({"sub": sub})).await;
    let moved = service.visitor();
    let again = moved.elsewhere().google(json!({"sub": sub, "name": "Otra"})).await;
    assert_eq!(again.json(), json!({"status": "exists", "user": first.json()["user"]}));
    assert_eq!(again.user("email"), ana.email);
    // The new address is still free, because it was not stored.
    assert_eq!(moved.elsewhere().register().await.success(), true);
}

#[tokio::test]
async fn an_identity_keeps_its_account_when_its_new_address_has_another_account() {
    let service = Service::shared();
    let (mut ana, mut eva) = (service.visitor(), service.visitor().signed_in().await);
    let sub = format!("sub-{}", ana.email);
    let first = ana.google(json!({"sub": sub})).await;
    let again = ana.google(json!({"sub": sub, "email": eva.email})).await;
    assert_eq!(again.user("id"), first.user("id"));
    let session = eva.session().await;
    assert_eq!(session.status, 200, "{session:?}");
    assert_ne!(session.user("id"), first.user("id"));
    assert_eq!(eva.elsewhere().login(PASSWORD).await.success(), true);
}

#[tokio::test]
async fn an_account_without_a_password_refuses_every_password_as_if_it_did_not_exist() {
    let service = Service::shared();
    let mut ana = service.visitor();
    ana.google(json!({})).await;
    let refused = ana.elsewhere().login(PASSWORD).await;
    assert_eq!(refused.sentence(), (200, "Email o contraseña incorrectas".to_owned()));
    let unknown = service.visitor().login(PASSWORD).await;
    assert_eq!((refused.whole(), refused.text), (unknown.whole(), unknown.text));
}

#[tokio::test]
async fn a_deleted_account_comes_back_as_a_new_one() {
    let mut ana = Service::shared().visitor();
    let first = ana.google(json!({})).await;
    let old = ana.clone();
    assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    let second = ana.elsewhere().google(json!({})).await;
    assert_eq!(second.json()["status"], "inserted");
    assert_ne!(second.user("id"), first.user("id"));
    assert_eq!(old.clone().session().await.status, 401, "an old session acts on the new account");
}

#[tokio::test]
async fn every_login_opens_a_fresh_session_and_ends_the_presented_one() {
    let mut ana = Service::shared().visitor();
    ana.google(json!({})).await;
    let (first, mut phone) = (ana.clone(), ana.elsewhere());
    phone.google(json!({})).await;
    ana.google(json!({})).await;
    assert_ne!(ana.cookie, first.cookie);
    assert_eq!(first.clone().session().await.status, 401, "the presented session is alive");
    assert_eq!(ana.session().await.status, 200);
    assert_eq!(phone.session().await.status, 200, "a session of another device ended");
}

#[tokio::test]
async fn a_name_from_the_provider_is_made_valid() {
    let service = Service::shared();
    for (given, kept) in [
        (json!("A\u{0}na\r\n Gar\u{1b}cía\t"), Some("Ana García".to_owned())),
        (json!("ñ".repeat(300)), Some("ñ".repeat(200))),
        (json!("😀".repeat(200)), Some("😀".repeat(200))),
        (json!("<b>Ana</b>"), Some("<b>Ana</b>".to_owned())),
        (Value::Null, None),
        (json!(""), None),
        (json!(" \u{7} "), None),
    ] {
        let mut ana = service.visitor();
        let login = ana.google(json!({"name": given})).await;
        let local_part = ana.email.split('@').next().unwrap().to_owned();
        assert_eq!(login.user("name"), kept.unwrap_or(local_part), "{given}");
        assert_eq!(login.json()["status"], "inserted", "{given}");
    }
}

#[tokio::test]
async fn a_body_without_a_credential_is_refused() {
    let mut ana = Service::shared().visitor();
    let credential = ana.credential(json!({})).await;
    for body in [
        String::new(),
        "{}".to_owned(),
        "null".to_owned(),
        "{".to_owned(),
        r#"{"credential":null}"#.to_owned(),
        r#"{"credential":{}}"#.to_owned(),
        r#"{"Credential":"a"}"#.to_owned(),
        r#"{"credential":"\ud800"}"#.to_owned(),
        format!(r#"["{credential}"]"#),
        format!(r#"{{"credential":["{credential}"]}}"#),
        format!(r#"{{"credential":"a","credential":"{credential}"}}"#),
        format!(r#"{{"credential":"{credential}"}}{{}}"#),
        format!("credential={credential}"),
    ] {
        let answer = ana.json(paths::GOOGLE_LOGIN, body.clone()).await;
        assert_eq!(answer.sentence(), (400, "Parámetros inválidos".to_owned()), "{body}");
        assert!(answer.set_cookies().is_empty(), "{body}");
    }
}

#[tokio::test]
async fn unknown_members_change_nothing() {
    let mut ana = Service::shared().visitor();
    let credential = ana.credential(json!({})).await;
    let body = json!({"credential": credential, "email": "eva@example.com", "sub": "1", "id": 1, "status": "exists"});
    let login = ana.json(paths::GOOGLE_LOGIN, body.to_string()).await;
    assert_eq!((&login.json()["status"], login.user("email")), (&json!("inserted"), json!(ana.email)));
}
