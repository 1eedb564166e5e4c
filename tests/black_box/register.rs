//! Registration.

use journeys::sentences::{
    EMAIL_INVALID, EMAIL_MISSING, EMAIL_TAKEN, INVALID_PARAMETERS, PASSWORDS_DIFFER, REGISTERED, Sentence,
    TERMS_NOT_ACCEPTED, WEAK, WRONG_CREDENTIALS, assert_says,
};
use journeys::{PASSWORD, Service};
use serde_json::json;

use crate::fields::{BAD_EMAILS, BAD_NAMES, WEAK_PASSWORDS, spellings};

#[tokio::test]
async fn registration_opens_no_session_and_does_not_change_the_presented_one() {
    let mut nobody = Service::shared().visitor();
    assert_says(&nobody.register().await, REGISTERED, "without a session");
    assert_eq!(nobody.session().await.status, 401);
    let mut ana = Service::shared().visitor().signed_in().await;
    let other = Service::shared().visitor();
    assert_says(&ana.register_with(&[("email", &other.email)]).await, REGISTERED, "another address");
    assert_eq!(ana.session().await.user("email"), ana.email);
}

#[tokio::test]
async fn every_spelling_of_an_address_with_an_account_is_refused() {
    let mut ana = Service::shared().visitor().registered().await;
    for spelling in spellings(&ana.email) {
        assert_says(&ana.register_with(&[("email", &spelling)]).await, EMAIL_TAKEN, spelling);
    }
}

#[tokio::test]
async fn a_refused_second_registration_changes_nothing() {
    let mut ana = Service::shared().visitor().registered().await;
    let other = "Otra-Clave-2";
    let changes = [("nombre", "Eva"), ("password", other), ("confirm-password", other), ("notifications", "on")];
    assert_says(&ana.register_with(&changes).await, EMAIL_TAKEN, "second");
    assert_says(&ana.elsewhere().login(other).await, WRONG_CREDENTIALS, "the second password");
    let login = ana.login(PASSWORD).await;
    assert_eq!((login.user("name"), login.user("accept_news")), (json!("Ana García"), json!(0)));
}

#[tokio::test]
async fn every_bad_value_of_every_field_is_refused_with_its_message() {
    let mut ana = Service::shared().visitor();
    let long = "ñ".repeat(201);
    let rows = BAD_NAMES.into_iter().chain([&*long]).map(|name| ("nombre", name, INVALID_PARAMETERS));
    let rows = rows.chain(["", "  ", "\t\r\n"].map(|email| ("email", email, EMAIL_MISSING)));
    let rows = rows.chain(BAD_EMAILS.map(|email| ("email", email, EMAIL_INVALID)));
    let rows = rows.chain(WEAK_PASSWORDS.map(|password| ("password", password, WEAK)));
    let others = ["", "contraseña1", " Contraseña1", "Contraseña1 ", "Contraseña11", "Contrasen\u{303}a1"];
    let rows = rows.chain(others.map(|other| ("confirm-password", other, PASSWORDS_DIFFER)));
    let rows = rows.chain(["", "off", "On", "true", "1", " on", "on "].map(|no| ("terms", no, TERMS_NOT_ACCEPTED)));
    let rows =
        rows.chain(["off", "On", "true", "1", "0", " ", "on "].map(|no| ("notifications", no, INVALID_PARAMETERS)));
    for (field, value, expected) in rows {
        assert_says(&ana.register_with(&[(field, value)]).await, expected, (field, value));
    }
    assert_says(&ana.login(PASSWORD).await, WRONG_CREDENTIALS, "none of them has created an account");
}

#[tokio::test]
async fn the_first_of_several_bad_fields_decides_the_answer() {
    let mut ana = Service::shared().visitor();
    let bad: [(&str, &str, Sentence); 6] = [
        ("nombre", "", INVALID_PARAMETERS),
        ("email", "ana", EMAIL_INVALID),
        ("password", "weak", WEAK),
        ("confirm-password", "other", PASSWORDS_DIFFER),
        ("terms", "", TERMS_NOT_ACCEPTED),
        ("notifications", "yes", INVALID_PARAMETERS),
    ];
    for (first, (field, _, expected)) in bad.iter().enumerate() {
        let fields: Vec<_> = bad[first..].iter().map(|(field, value, _)| (*field, *value)).collect();
        assert_says(&ana.register_with(&fields).await, *expected, field);
    }
}

#[tokio::test]
async fn a_name_of_1_to_200_code_points_is_trimmed_and_otherwise_unchanged() {
    let long = "ñ".repeat(200);
    for (sent, kept) in [
        ("A", "A"),
        (&long, &long),
        ("  Ana García \t", "Ana García"),
        ("<script>alert(1)</script> & \"Ana\" \\ 😀", "<script>alert(1)</script> & \"Ana\" \\ 😀"),
        ("Ana  María", "Ana  María"),
        ("Jose\u{301}", "Jose\u{301}"),
        ("آنا", "آنا"),
    ] {
        let mut ana = Service::shared().visitor();
        assert_says(&ana.register_with(&[("nombre", sent)]).await, REGISTERED, sent);
        assert_eq!(ana.login(PASSWORD).await.user("name"), kept, "{sent}");
    }
}

#[tokio::test]
async fn a_new_account_has_an_id_the_default_avatar_and_the_chosen_newsletter() {
    for (notifications, accept_news) in [(None, 0), (Some(""), 0), (Some("on"), 1)] {
        let mut ana = Service::shared().visitor();
        let changes: Vec<_> = notifications.iter().map(|value| ("notifications", *value)).collect();
        assert_says(&ana.register_with(&changes).await, REGISTERED, notifications);
        let login = ana.login(PASSWORD).await;
        assert!((1..1 << 53).contains(&login.user("id").as_u64().unwrap()), "{login:?}");
        assert!(login.user("url_image").as_str().unwrap().ends_with("/assets/avatars/default.jpeg"), "{login:?}");
        assert_eq!(login.user("accept_news"), accept_news, "{notifications:?}");
    }
}

#[tokio::test]
async fn unknown_fields_of_a_form_change_nothing() {
    let mut ana = Service::shared().visitor();
    let extra = [
        ("id", "9007199254740991"),
        ("url_image", "https://evil.example/a.jpeg"),
        ("avatar", "https://evil.example/a.jpeg"),
        ("accept_news", "1"),
        ("email_verified", "true"),
        ("name", "Eva"),
        ("__proto__", "x"),
        ("", "x"),
    ];
    assert_says(&ana.register_with(&extra).await, REGISTERED, extra);
    let login = ana.login(PASSWORD).await;
    assert_ne!(login.user("id"), 9_007_199_254_740_991_u64);
    let session = ana.session().await;
    assert!(session.user("url_image").as_str().unwrap().ends_with("/assets/avatars/default.jpeg"), "{session:?}");
    assert_eq!((session.user("name"), session.user("accept_news")), (json!("Ana García"), json!(0)));
}
