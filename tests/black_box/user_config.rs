//! Settings, and a new password that is set there.

use journeys::sentences::{
    CONFIGURED, INVALID_PARAMETERS, INVALID_TOKEN, LOGGED_IN, NO_SESSION, PASSWORDS_DIFFER, Sentence, WEAK,
    WRONG_CREDENTIALS, assert_says,
};
use journeys::{Answer, PASSWORD, Service, Visitor, paths};
use serde_json::json;

use crate::fields::{BAD_NAMES, JUST_STRONG_PASSWORDS, NEW_PASSWORD, WEAK_PASSWORDS};

/// The settings form with a name, and these fields.
async fn configure(visitor: &mut Visitor, fields: &[(&str, &str)]) -> Answer {
    visitor.form(paths::USER_CONFIG, &[&[("name", "Ana")], fields].concat()).await
}

/// The base URL of the deployment's avatars.
async fn avatar_base(visitor: &mut Visitor) -> String {
    let address = visitor.session().await.user("url_image");
    address.as_str().and_then(|address| address.strip_suffix("default.jpeg")).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn settings_take_effect_at_once() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let avatar = format!("{}03.jpeg", avatar_base(&mut ana).await);
    let fields = [("name", "  Eva Ñúñez "), ("avatar", &avatar), ("notifications", "on")];
    let answer = ana.form(paths::USER_CONFIG, &fields).await;
    assert_says(&answer, CONFIGURED, "answer");
    insta::assert_snapshot!(ana.session().await.whole(), @r#"
    200
    cache-control: no-store
    content-type: application/json; charset=utf-8
    x-content-type-options: nosniff
    {
      "success": true,
      "user": {
        "id": "[id]",
        "email": "[email]",
        "name": "Eva Ñúñez",
        "url_image": "[front end]/assets/avatars/03.jpeg",
        "accept_news": 1
      }
    }
    "#);
}

#[tokio::test]
async fn settings_are_those_of_the_account_and_not_of_the_session() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let mut phone = ana.on_another_device().await;
    ana.form(paths::USER_CONFIG, &[("name", "Eva"), ("notifications", "on")]).await;
    for answer in [phone.session().await, ana.elsewhere().login(PASSWORD).await] {
        assert_eq!((answer.user("name"), answer.user("accept_news")), (json!("Eva"), json!(1)), "{answer:?}");
    }
}

#[tokio::test]
async fn absent_notifications_unsubscribe() {
    let mut ana = Service::shared().visitor().signed_in().await;
    for fields in [&[][..], &[("notifications", "")]] {
        configure(&mut ana, &[("notifications", "on")]).await;
        assert_eq!(ana.session().await.user("accept_news"), 1);
        assert_says(&configure(&mut ana, fields).await, CONFIGURED, fields);
        assert_eq!(ana.session().await.user("accept_news"), 0, "{fields:?}");
    }
}

#[tokio::test]
async fn an_empty_or_absent_avatar_field_keeps_the_avatar() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let avatar = format!("{}07.jpeg", avatar_base(&mut ana).await);
    configure(&mut ana, &[("avatar", &avatar)]).await;
    for fields in [&[][..], &[("avatar", "")]] {
        assert_says(&configure(&mut ana, fields).await, CONFIGURED, fields);
        assert_eq!(ana.session().await.user("url_image"), avatar, "{fields:?}");
    }
}

#[tokio::test]
async fn a_url_that_resembles_an_avatars_is_refused() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let base = avatar_base(&mut ana).await;
    let (front_end, folder) = base.split_at(base.len() - "/assets/avatars/".len());
    assert_eq!(folder, "/assets/avatars/");
    let files = ["", "11.jpeg", "01.png", "01.JPEG", "01.jpeg?v=1", "01.jpeg\0", "x/../01.jpeg", "%301.jpeg"];
    let addresses = [
        format!("{folder}01.jpeg"),
        format!("{front_end}.evil.example{folder}01.jpeg"),
        format!("{front_end}@evil.example{folder}01.jpeg"),
        format!("//evil.example{folder}01.jpeg"),
        "javascript:alert(1)".to_owned(),
        "data:image/jpeg;base64,AA==".to_owned(),
    ];
    for avatar in files.iter().map(|file| format!("{base}{file}")).chain(addresses) {
        assert_says(&configure(&mut ana, &[("avatar", &avatar)]).await, INVALID_PARAMETERS, &avatar);
    }
    assert_eq!(ana.session().await.user("url_image"), format!("{base}default.jpeg"));
}

#[tokio::test]
async fn every_bad_value_of_every_field_is_refused_with_its_message() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let before = ana.session().await.text;
    let long = "ñ".repeat(201);
    for name in BAD_NAMES.into_iter().chain([&*long]) {
        assert_says(&ana.form(paths::USER_CONFIG, &[("name", name)]).await, INVALID_PARAMETERS, name);
    }
    assert_says(&ana.form(paths::USER_CONFIG, &[("nombre", "Ana")]).await, INVALID_PARAMETERS, "no name");
    for weak in WEAK_PASSWORDS.into_iter().filter(|weak| !weak.is_empty()) {
        let fields = [("password", weak), ("confirm_password", weak)];
        assert_says(&configure(&mut ana, &fields).await, WEAK, weak);
    }
    for other in ["", "nueva-Clave-2", " Nueva-Clave-2", "Nueva-Clave-2 ", "Nueva-Clave-22"] {
        let fields = [("password", NEW_PASSWORD), ("confirm_password", other)];
        assert_says(&configure(&mut ana, &fields).await, PASSWORDS_DIFFER, other);
    }
    assert_says(&configure(&mut ana, &[("password", NEW_PASSWORD)]).await, PASSWORDS_DIFFER, "no confirmation");
    assert_says(&configure(&mut ana, &[("confirm_password", NEW_PASSWORD)]).await, PASSWORDS_DIFFER, "no password");
    for no in ["off", "On", "true", "1", " ", "on "] {
        assert_says(&configure(&mut ana, &[("notifications", no)]).await, INVALID_PARAMETERS, no);
    }
    assert_says(&configure(&mut ana, &[("avatar", "x")]).await, INVALID_PARAMETERS, "avatar");
    assert_eq!(ana.session().await.text, before, "nothing has changed");
    assert_says(&ana.login(PASSWORD).await, LOGGED_IN, "nor has the password");
}

#[tokio::test]
async fn the_first_of_several_bad_fields_decides_the_answer() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let bad: [(&str, &str, &str, Sentence); 5] = [
        ("name", "", "Ana", INVALID_PARAMETERS),
        ("avatar", "x", "", INVALID_PARAMETERS),
        ("password", "weak", NEW_PASSWORD, WEAK),
        ("confirm_password", "other", NEW_PASSWORD, PASSWORDS_DIFFER),
        ("notifications", "yes", "on", INVALID_PARAMETERS),
    ];
    for (first, (field, _, _, expected)) in bad.iter().enumerate() {
        let rows = bad.iter().enumerate();
        let fields: Vec<_> =
            rows.map(|(place, (field, no, yes, _))| (*field, if place < first { *yes } else { *no })).collect();
        assert_says(&ana.form(paths::USER_CONFIG, &fields).await, *expected, field);
    }
}

#[tokio::test]
async fn unknown_fields_of_a_form_change_nothing() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let mut eva = Service::shared().visitor().signed_in().await;
    let (of_ana, of_eva) = (ana.session().await, eva.session().await);
    let (id, email) = (of_eva.user("id").to_string(), eva.email.clone());
    let fields = [
        ("name", "Ana García"),
        ("id", id.as_str()),
        ("user_id", &id),
        ("email", &email),
        ("url_image", "https://evil.example/a.jpeg"),
        ("accept_news", "1"),
        ("user[id]", &id),
    ];
    assert_says(&ana.form(paths::USER_CONFIG, &fields).await, CONFIGURED, fields);
    assert_eq!(ana.session().await.text, of_ana.text);
    assert_eq!(eva.session().await.text, of_eva.text);
}

#[tokio::test]
async fn a_new_password_gives_the_caller_a_fresh_session() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let mut old = ana.clone();
    let answer = ana.set_password(NEW_PASSWORD).await;
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
    ana.set_password(NEW_PASSWORD).await;
    assert_says(&ana.elsewhere().login(PASSWORD).await, WRONG_CREDENTIALS, "old");
    assert_says(&ana.elsewhere().login(NEW_PASSWORD).await, LOGGED_IN, "new");
}

#[tokio::test]
async fn a_new_password_may_be_any_that_meets_the_policy() {
    let mut ana = Service::shared().visitor().signed_in().await;
    for password in JUST_STRONG_PASSWORDS.into_iter().chain([" Contra seña1\0", PASSWORD, PASSWORD]) {
        assert_says(&ana.set_password(password).await, CONFIGURED, password);
        assert_says(&ana.elsewhere().login(password).await, LOGGED_IN, password);
    }
}

#[tokio::test]
async fn a_new_password_ends_every_other_session() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let (mut phone, mut tablet) = (ana.elsewhere(), ana.elsewhere());
    phone.login(PASSWORD).await;
    tablet.login(PASSWORD).await;
    ana.set_password(NEW_PASSWORD).await;
    for other in [&mut phone, &mut tablet] {
        assert_says(&other.session().await, NO_SESSION, "session");
        assert_says(&other.form(paths::USER_CONFIG, &[("name", "Ana")]).await, NO_SESSION, "settings");
    }
}

#[tokio::test]
async fn a_new_password_ends_the_reset_token() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let token = ana.reset_token().await;
    ana.set_password(NEW_PASSWORD).await;
    assert_says(&ana.elsewhere().reset(&token, "Otra-Clave-3").await, INVALID_TOKEN, "token");
}

#[tokio::test]
async fn settings_without_a_password_end_no_session() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let mut phone = ana.on_another_device().await;
    let answer = ana.set_password("").await;
    assert_says(&answer, CONFIGURED, "empty password");
    assert!(answer.set_cookies().is_empty(), "{answer:?}");
    assert_eq!((ana.session().await.status, phone.session().await.status), (200, 200));
    assert_says(&ana.elsewhere().login(PASSWORD).await, LOGGED_IN, "the same password");
}
