//! The reset of a password: the mail with the link, and a new password with its token.

use journeys::sentences::{
    EMAIL_INVALID, EMAIL_MISSING, INVALID_TOKEN, LINK_SENT, LOGGED_IN, NO_SESSION, PASSWORDS_DIFFER, RESET,
    UNKNOWN_EMAIL, WEAK, WRONG_CREDENTIALS, assert_says,
};
use journeys::{PASSWORD, Service, paths};
use reqwest::header::{CONTENT_TYPE, COOKIE};
use serde_json::Value;

use crate::fields::{BAD_EMAILS, NEW_PASSWORD, WEAK_PASSWORDS, spellings};

#[tokio::test]
async fn a_reset_sets_the_new_password() {
    let mut ana = Service::shared().visitor().registered().await;
    let token = ana.reset_token().await;
    let answer = ana.reset(&token, NEW_PASSWORD).await;
    assert_says(&answer, RESET, "answer");
    assert_says(&ana.login(PASSWORD).await, WRONG_CREDENTIALS, "the old one");
    assert_says(&ana.login(NEW_PASSWORD).await, LOGGED_IN, "the new one");
}

#[tokio::test]
async fn a_reset_opens_no_session() {
    let mut ana = Service::shared().visitor().registered().await;
    let token = ana.reset_token().await;
    assert!(ana.reset(&token, NEW_PASSWORD).await.set_cookies().is_empty());
    assert_says(&ana.session().await, NO_SESSION, "session");
}

#[tokio::test]
async fn a_reset_ends_every_session() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let mut phone = ana.on_another_device().await;
    ana.reset_to(NEW_PASSWORD).await;
    for device in [&mut ana, &mut phone] {
        assert_says(&device.session().await, NO_SESSION, "session");
    }
}

#[tokio::test]
async fn a_used_token_is_refused() {
    let mut ana = Service::shared().visitor().registered().await;
    let token = ana.reset_token().await;
    ana.reset(&token, NEW_PASSWORD).await;
    let answer = ana.reset(&token, "Otra-Clave-3").await;
    assert_says(&answer, INVALID_TOKEN, "answer");
    assert_says(&ana.login(NEW_PASSWORD).await, LOGGED_IN, "the password of the first use");
}

#[tokio::test]
async fn a_weak_or_mismatched_password_keeps_the_token() {
    let mut ana = Service::shared().visitor().registered().await;
    let token = ana.reset_token().await;
    for weak in WEAK_PASSWORDS {
        assert_says(&ana.reset(&token, weak).await, WEAK, weak);
    }
    for other in ["", "nueva-Clave-2", "Nueva-Clave-2 ", "Nueva-Clave-22"] {
        let fields = [("token", token.as_str()), ("new_password", NEW_PASSWORD), ("confirm_password", other)];
        assert_says(&ana.form(paths::RESET_PASSWORD, &fields).await, PASSWORDS_DIFFER, other);
    }
    let fields = [("token", token.as_str()), ("new_password", NEW_PASSWORD)];
    let answer = ana.form(paths::RESET_PASSWORD, &fields).await;
    assert_says(&answer, PASSWORDS_DIFFER, "answer");
    assert_says(&ana.reset(&token, NEW_PASSWORD).await, RESET, "a good one");
}

#[tokio::test]
async fn the_password_is_checked_before_the_token() {
    let mut nobody = Service::shared().visitor();
    assert_says(&nobody.reset("x", "weak").await, WEAK, "weak");
    let fields = [("token", "x"), ("new_password", NEW_PASSWORD), ("confirm_password", "other")];
    assert_says(&nobody.form(paths::RESET_PASSWORD, &fields).await, PASSWORDS_DIFFER, "mismatch");
    assert_says(&nobody.reset("x", NEW_PASSWORD).await, INVALID_TOKEN, "token");
    assert_says(&nobody.form(paths::RESET_PASSWORD, &[]).await, WEAK, "nothing");
}

#[tokio::test]
async fn any_text_other_than_a_live_token_is_refused() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let token = ana.reset_token().await;
    let cookie = ana.cookie.clone().unwrap_or_default();
    let session = cookie.split_once('=').unwrap_or_default().1;
    let (head, tail) = token.split_at(token.len() - 8);
    let reversed: String = tail.chars().rev().collect();
    let long = "A".repeat(100_000);
    for miss in [
        "",
        "' OR 1=1 --",
        head,
        session,
        &long,
        &format!(" {token}"),
        &format!("{token}A"),
        &format!("{token}\0"),
        &format!("{head}{reversed}"),
        &token.to_uppercase(),
    ] {
        assert_says(&ana.reset(miss, NEW_PASSWORD).await, INVALID_TOKEN, miss);
    }
    let fields = [("new_password", NEW_PASSWORD), ("confirm_password", NEW_PASSWORD)];
    assert_says(&ana.form(paths::RESET_PASSWORD, &fields).await, INVALID_TOKEN, "no token");
    assert_says(&ana.reset(&token, NEW_PASSWORD).await, RESET, "the token itself");
}

#[tokio::test]
async fn a_token_resets_the_account_it_was_mailed_for_and_no_other() {
    let (mut ana, mut eva) =
        (Service::shared().visitor().registered().await, Service::shared().visitor().registered().await);
    let token = ana.reset_token().await;
    let email = eva.email.clone();
    let fields = [
        ("token", token.as_str()),
        ("new_password", NEW_PASSWORD),
        ("confirm_password", NEW_PASSWORD),
        ("email", email.as_str()),
    ];
    assert_says(&eva.form(paths::RESET_PASSWORD, &fields).await, RESET, "reset");
    assert_says(&eva.login(PASSWORD).await, LOGGED_IN, "the other account");
    assert_says(&ana.login(NEW_PASSWORD).await, LOGGED_IN, "the account");
}

fn part<'a>(mail: &'a Value, name: &str) -> &'a str {
    mail.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The URL of the configured front end, taken from the redirect that answers an invalid credential in Google's redirect
/// mode.
pub(crate) async fn front_end(service: &Service) -> String {
    let request = service.request("POST", paths::GOOGLE_REDIRECT).header(COOKIE, "g_csrf_token=a");
    let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
    let answer = service.send(request.body("credential=x&g_csrf_token=a")).await;
    answer.header("location").strip_suffix("/login?error=google").unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_reset_link_is_mailed() {
    let mut ana = Service::shared().visitor().registered().await;
    let email = ana.email.clone();
    let answer = ana.ask_for_reset().await;
    assert_says(&answer, LINK_SENT, "answer");
    assert_eq!(ana.service.mails(&email).await.len(), 1, "it is sent before the answer, and once");
}

#[tokio::test]
async fn an_unknown_address_gets_no_mail() {
    let mut nobody = Service::shared().visitor();
    let email = nobody.email.clone();
    let answer = nobody.ask_for_reset().await;
    assert_says(&answer, UNKNOWN_EMAIL, "answer");
    assert_eq!(nobody.service.mails(&email).await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_bad_address_is_refused_with_its_message() {
    let mut nobody = Service::shared().visitor();
    for (email, expected) in ["", " ", "\r\n"]
        .map(|email| (email, EMAIL_MISSING))
        .into_iter()
        .chain(BAD_EMAILS.map(|email| (email, EMAIL_INVALID)))
    {
        assert_says(&nobody.form(paths::SEND_RESET_LINK, &[("email", email)]).await, expected, email);
    }
    assert_says(&nobody.form(paths::SEND_RESET_LINK, &[]).await, EMAIL_MISSING, "no email");
}

#[tokio::test]
async fn for_every_spelling_of_an_address_the_mail_goes_to_the_stored_one() {
    let mut ana = Service::shared().visitor().registered().await;
    for (number, spelling) in spellings(&ana.email).iter().enumerate() {
        assert_says(&ana.form(paths::SEND_RESET_LINK, &[("email", spelling)]).await, LINK_SENT, spelling);
        let mails = ana.service.mails(&ana.email).await;
        assert_eq!(mails.len(), number + 1, "{spelling:?}");
        assert_eq!(part(&mails[0], "to"), ana.email, "{spelling:?}");
    }
}

#[tokio::test]
async fn the_mail_is_spanish_with_the_same_content_in_text_and_html() {
    let mut ana = Service::shared().visitor().registered().await;
    let token = ana.reset_token().await;
    let mail = &ana.service.mails(&ana.email).await[0];
    let link = format!("{}/restablecer?token={token}", front_end(&ana.service).await);
    assert_eq!(part(mail, "to"), ana.email);
    assert!(part(mail, "from").contains('@'), "{mail}");
    assert_eq!(part(mail, "subject"), "Restablece tu contraseña");
    for half in [part(mail, "text"), part(mail, "html")] {
        assert!(half.contains(&link), "{half}");
        assert!(half.contains("restablecer la contraseña de tu cuenta"), "{half}");
        assert!(half.contains("El enlace caduca en") && half.contains("solo se puede usar una vez"), "{half}");
        assert!(half.contains("Si no lo has pedido tú, no tienes que hacer nada"), "{half}");
        assert!(!half.contains("Ana García"), "whoever registers an address chooses the name: {half}");
    }
    assert!(part(mail, "html").contains("<html lang=\"es\">"), "{mail}");
    assert!(part(mail, "html").contains(&format!("href=\"{link}\"")), "{mail}");
    assert!(!part(mail, "text").contains('<'), "{mail}");
}

#[tokio::test]
async fn no_header_of_the_request_changes_the_link() {
    let ana = Service::shared().visitor().registered().await;
    let front_end = front_end(&ana.service).await;
    assert!(front_end.starts_with("http"), "{front_end}");
    let names = ["X-Forwarded-Host", "X-Forwarded-Proto", "X-Original-Host", "X-Host", "Forwarded", "Referer"];
    for (number, name) in names.into_iter().enumerate() {
        let request = ana.request(paths::SEND_RESET_LINK).header(name, "https://evil.example/");
        let request = request.form(&[("email", &ana.email)]);
        assert_says(&ana.service.send(request).await, LINK_SENT, name);
        let mails = ana.service.mails(&ana.email).await;
        assert_eq!(mails.len(), number + 1, "{name}");
    }
    // A gateway may refuse an unknown host with its own message. If it forwards the call, the host must not be in the
    // mail.
    let request = ana.request(paths::SEND_RESET_LINK).header("Host", "evil.example").form(&[("email", &ana.email)]);
    drop(request.send().await);
    for mail in ana.service.mails(&ana.email).await {
        assert!(part(&mail, "text").contains(&format!("\n{front_end}/restablecer?token=")), "{mail}");
        assert!(!mail.to_string().contains("evil.example"), "{mail}");
    }
}

#[tokio::test]
async fn the_newest_token_replaces_the_older_ones() {
    let mut ana = Service::shared().visitor().registered().await;
    let (first, second) = (ana.reset_token().await, ana.reset_token().await);
    assert_ne!(first, second);
    assert_says(&ana.reset(&first, NEW_PASSWORD).await, INVALID_TOKEN, "first");
    assert_says(&ana.reset(&second, NEW_PASSWORD).await, RESET, "second");
}
