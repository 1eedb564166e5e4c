//! Registration.

use journeys::sentences::{
    EMAIL_INVALID, EMAIL_MISSING, EMAIL_TAKEN, INVALID_PARAMETERS, LOGGED_IN, PASSWORDS_DIFFER, REGISTERED, Sentence,
    TERMS_NOT_ACCEPTED, WEAK, WRONG_CREDENTIALS, assert_says,
};
use journeys::{PASSWORD, Service, paths};
use serde_json::json;

use crate::fields::{BAD_EMAILS, JUST_STRONG_PASSWORDS, WEAK_PASSWORDS, spellings};

/// Octets of the longest local part and of the longest address.
const LOCAL_PART_MAX: usize = 64;
const ADDRESS_MAX: usize = 254;

#[tokio::test]
async fn a_new_address_gets_an_account() {
    let answer = Service::shared().visitor().register().await;
    insta::assert_snapshot!(answer.whole(), @r#"
    200
    cache-control: no-store
    content-type: application/json; charset=utf-8
    x-content-type-options: nosniff
    {
      "success": true,
      "message": "Usuario registrado correctamente"
    }
    "#);
}

#[tokio::test]
async fn a_multipart_form_is_accepted_too() {
    let mut ana = Service::shared().visitor();
    let form = reqwest::multipart::Form::new().text("nombre", "Ana").text("email", ana.email.clone());
    let form = form.text("password", PASSWORD).text("confirm-password", PASSWORD).text("terms", "on");
    assert_says(&ana.send(ana.request(paths::REGISTER).multipart(form)).await, REGISTERED, "multipart");
    assert_says(&ana.login(PASSWORD).await, LOGGED_IN, "login");
}

#[tokio::test]
async fn registration_opens_no_session() {
    let mut ana = Service::shared().visitor();
    let answer = ana.register().await;
    assert!(answer.set_cookies().is_empty(), "{answer:?}");
    assert_eq!(ana.session().await.status, 401);
}

#[tokio::test]
async fn registration_does_not_change_the_presented_session() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let other = Service::shared().visitor();
    assert_says(&ana.register_with(&[("email", &other.email)]).await, REGISTERED, "another address");
    assert_eq!(ana.session().await.user("email"), ana.email);
}

#[tokio::test]
async fn an_address_with_an_account_is_refused() {
    let mut ana = Service::shared().visitor().registered().await;
    let answer = ana.register().await;
    insta::assert_snapshot!(answer.whole(), @r#"
    200
    cache-control: no-store
    content-type: application/json; charset=utf-8
    x-content-type-options: nosniff
    {
      "success": false,
      "message": "El email ya está registrado"
    }
    "#);
}

#[tokio::test]
async fn every_spelling_of_an_address_with_an_account_is_refused() {
    let mut ana = Service::shared().visitor().registered().await;
    for spelling in spellings(&ana.email) {
        assert_says(&ana.register_with(&[("email", &spelling)]).await, EMAIL_TAKEN, spelling);
    }
}

#[tokio::test]
async fn every_spelling_of_an_address_is_stored_trimmed_and_in_lower_case() {
    for number in 0..5 {
        let mut ana = Service::shared().visitor();
        let spelling = spellings(&ana.email)[number].clone();
        assert_says(&ana.register_with(&[("email", &spelling)]).await, REGISTERED, &spelling);
        assert_eq!(ana.login(PASSWORD).await.user("email"), ana.email, "{spelling:?}");
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
async fn a_field_without_its_own_message_answers_400() {
    let answer = Service::shared().visitor().register_with(&[("nombre", "")]).await;
    insta::assert_snapshot!(answer.whole(), @r#"
    400
    cache-control: no-store
    content-type: application/json; charset=utf-8
    x-content-type-options: nosniff
    {
      "success": false,
      "message": "Parámetros inválidos"
    }
    "#);
}

#[tokio::test]
async fn a_field_with_its_own_message_answers_200() {
    let answer = Service::shared().visitor().register_with(&[("password", "weak")]).await;
    insta::assert_snapshot!(answer.whole(), @r#"
    200
    cache-control: no-store
    content-type: application/json; charset=utf-8
    x-content-type-options: nosniff
    {
      "success": false,
      "message": "La contraseña debe tener al menos 8 caracteres, una mayúscula y un número"
    }
    "#);
}

#[tokio::test]
async fn every_bad_value_of_every_field_is_refused_with_its_message() {
    let mut ana = Service::shared().visitor();
    let long = "ñ".repeat(201);
    let names = ["", " ", " \t\r\n ", &long, "Ana\u{7}", "Ana\nGarcía", "A\0na", "Ana\u{85}García"];
    let rows = names.map(|name| ("nombre", name, INVALID_PARAMETERS)).into_iter();
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
async fn a_missing_field_counts_as_an_empty_one() {
    let mut ana = Service::shared().visitor();
    let email = ana.email.clone();
    let whole =
        [("nombre", "Ana"), ("email", &email), ("password", PASSWORD), ("confirm-password", PASSWORD), ("terms", "on")];
    for (missing, expected) in [
        ("nombre", INVALID_PARAMETERS),
        ("email", EMAIL_MISSING),
        ("password", WEAK),
        ("confirm-password", PASSWORDS_DIFFER),
        ("terms", TERMS_NOT_ACCEPTED),
    ] {
        let fields: Vec<_> = whole.iter().copied().filter(|(name, _)| *name != missing).collect();
        assert_says(&ana.form(paths::REGISTER, &fields).await, expected, missing);
    }
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
async fn the_longest_address_is_accepted_and_one_more_octet_is_not() {
    let mut ana = Service::shared().visitor();
    let (own, _) = ana.email.split_once('@').unwrap();
    let local = format!("{own}{}", "l".repeat(LOCAL_PART_MAX - own.len()));
    let label = "d".repeat(60);
    let rest = ADDRESS_MAX - local.len() - "@...".len() - 2 * label.len();
    let longest = format!("{local}@{label}.{label}.{}.{}", "d".repeat(rest - 10), "e".repeat(10));
    assert_eq!(longest.len(), ADDRESS_MAX);

    let one_more = format!("{longest}e");
    assert_says(&ana.register_with(&[("email", &one_more)]).await, EMAIL_INVALID, "255");
    let long_local = format!("l{local}@example.com");
    assert_says(&ana.register_with(&[("email", &long_local)]).await, EMAIL_INVALID, "65@");
    assert_says(&ana.register_with(&[("email", &longest)]).await, REGISTERED, "254");
    ana.email = longest;
    assert_eq!(ana.login(PASSWORD).await.user("email"), ana.email);
}

#[tokio::test]
async fn tagged_and_dotted_addresses_are_separate_accounts() {
    let ana = Service::shared().visitor();
    let (local, _) = ana.email.split_once('@').unwrap();
    for email in [
        format!("{local}@example.com"),
        format!("{local}@mail.example.org"),
        format!("{local}+cuenta@example.com"),
        format!("{local}garcia@example.com"),
        format!("{local}.garcia@example.com"),
        format!("{local}_%&*/=?^{{|}}~-@x-y.es"),
    ] {
        assert_says(&ana.elsewhere().register_with(&[("email", &email)]).await, REGISTERED, email);
    }
}

#[tokio::test]
async fn a_password_that_just_meets_the_policy_is_accepted() {
    for password in JUST_STRONG_PASSWORDS {
        let mut ana = Service::shared().visitor();
        let changes = [("password", password), ("confirm-password", password)];
        assert_says(&ana.register_with(&changes).await, REGISTERED, password);
        assert_says(&ana.login(password).await, LOGGED_IN, password);
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
}
