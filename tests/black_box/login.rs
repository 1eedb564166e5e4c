//! Login by password.

use journeys::sentences::{
    EMAIL_INVALID, EMAIL_MISSING, LOGGED_IN, NO_SESSION, REGISTERED, WEAK, WRONG_CREDENTIALS, assert_says,
};
use journeys::{PASSWORD, Service, Visitor, paths};
use serde_json::json;

use crate::fields::{BAD_EMAILS, NEW_PASSWORD, WEAK_PASSWORDS, spellings};

#[tokio::test]
async fn the_answer_holds_the_five_fields_of_the_user() {
    let mut ana = Service::shared().visitor().registered().await;
    let login = ana.login(PASSWORD).await;
    insta::assert_snapshot!(login.whole(), @r#"
    200
    cache-control: no-store
    content-type: application/json; charset=utf-8
    x-content-type-options: nosniff
    set-cookie: session=[token]; HttpOnly; SameSite=Lax; Path=/; Max-Age=604800
    {
      "success": true,
      "message": "Inicio de sesión correcto",
      "user": {
        "id": "[id]",
        "email": "[email]",
        "name": "Ana García",
        "url_image": "[front end]/assets/avatars/default.jpeg",
        "accept_news": 0
      }
    }
    "#);
    let user = login.json()["user"].clone();
    assert_eq!((&user["email"], &ana.session().await.json()["user"]), (&json!(ana.email), &user));
}

#[tokio::test]
async fn every_bad_value_of_every_field_is_refused_with_its_message() {
    let mut ana = Service::shared().visitor().registered().await;
    let rows = ["", "  ", "\t\n"].map(|email| (email, PASSWORD, EMAIL_MISSING)).into_iter();
    let rows = rows.chain(BAD_EMAILS.map(|email| (email, PASSWORD, EMAIL_INVALID)));
    let email = ana.email.clone();
    let rows = rows.chain(WEAK_PASSWORDS.map(|password| (email.as_str(), password, WEAK)));
    for (email, password, expected) in rows.chain([("", "", EMAIL_MISSING), ("ana", "", EMAIL_INVALID)]) {
        let answer = ana.form(paths::LOGIN, &[("email", email), ("password", password)]).await;
        assert_says(&answer, expected, (email, password));
        assert!(answer.set_cookies().is_empty(), "{email:?}");
    }
    assert_says(&ana.form(paths::LOGIN, &[("email", &email)]).await, WEAK, "no password");
    assert_says(&ana.form(paths::LOGIN, &[("password", PASSWORD)]).await, EMAIL_MISSING, "no email");
    assert_says(&ana.form(paths::LOGIN, &[]).await, EMAIL_MISSING, "nothing");
}

#[tokio::test]
async fn every_spelling_of_an_address_means_the_same_account() {
    let mut ana = Service::shared().visitor().registered().await;
    let id = ana.login(PASSWORD).await.user("id");
    for spelling in spellings(&ana.email) {
        let mut device = Visitor { email: spelling, ..ana.elsewhere() };
        let login = device.login(PASSWORD).await;
        assert_eq!((login.user("id"), login.user("email")), (id.clone(), json!(ana.email)), "{}", device.email);
    }
}

#[tokio::test]
async fn a_login_ends_the_presented_session() {
    let eva = Service::shared().visitor().signed_in().await;
    let mut ana = Service::shared().visitor().signed_in().await;
    for presented in [eva.cookie, ana.cookie.clone()] {
        ana.cookie.clone_from(&presented);
        let mut old = ana.clone();
        assert_says(&ana.login(PASSWORD).await, LOGGED_IN, "in the same browser");
        assert_ne!(ana.cookie, presented);
        assert_says(&old.session().await, NO_SESSION, "the presented one");
        assert_eq!(ana.session().await.user("email"), ana.email);
    }
}

#[tokio::test]
async fn a_refused_login_neither_opens_nor_ends_a_session() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let refused = ana.login(NEW_PASSWORD).await;
    assert_says(&refused, WRONG_CREDENTIALS, "wrong");
    assert!(refused.set_cookies().is_empty(), "{refused:?}");
    assert_eq!(ana.session().await.status, 200);
}

#[tokio::test]
async fn a_forged_cookie_is_never_adopted() {
    let ana = Service::shared().visitor().signed_in().await;
    let own = ana.cookie.clone().unwrap();
    let (head, tail) = own.split_at(own.len() - 8);
    let reversed: String = tail.chars().rev().collect();
    for forged in [format!("{head}{reversed}"), format!("{head}AAAAAAAA"), own.replace('=', "=x")] {
        let mut victim = Visitor { cookie: Some(forged.clone()), ..ana.elsewhere() };
        let login = victim.login(PASSWORD).await;
        assert_says(&login, LOGGED_IN, &forged);
        assert_ne!(login.opened(), Some(forged.clone()));
        let mut attacker = Visitor { cookie: Some(forged.clone()), ..ana.elsewhere() };
        assert_says(&attacker.session().await, NO_SESSION, &forged);
    }
}

#[tokio::test]
async fn every_byte_of_a_password_must_match() {
    let long = format!("A1{}", "x".repeat(70));
    for (password, others) in [
        ("Contraseña1", vec!["Contrasen\u{303}a1", "CONTRASEÑA1", "contraseñA1", "Contrasena1", "Contraseña11"]),
        (" Contra seña1 ", vec!["Contra seña1", " Contra seña1", "Contra seña1 ", " Contra\u{a0}seña1 "]),
        ("Contraseña1\0", vec!["Contraseña1", "Contraseña1\0\0"]),
        ("Ⅷ ﬁn de A1", vec!["VIII fin de A1"]),
        ("A1+%41&=#;x", vec!["A1 A&=#;x", "A1+A&=#;x", "A1 %41&=#;x"]),
        (&format!("{long}a"), vec![&long, &format!("{long}b"), &format!("{long}aa")]),
    ] {
        let mut ana = Service::shared().visitor();
        let changes = [("password", password), ("confirm-password", password)];
        assert_says(&ana.register_with(&changes).await, REGISTERED, password);
        for other in others {
            assert_says(&ana.elsewhere().login(other).await, WRONG_CREDENTIALS, (password, other));
        }
        assert_says(&ana.login(password).await, LOGGED_IN, password);
    }
}

#[tokio::test]
async fn fields_in_the_query_are_not_read_as_form_fields() {
    let ana = Service::shared().visitor().registered().await;
    let query = [("email", ana.email.as_str()), ("password", PASSWORD)];
    let answer = ana.service.send(ana.request(paths::LOGIN).query(&query)).await;
    assert_says(&answer, EMAIL_MISSING, "query");
}
