//! The reset mail.

use journeys::sentences::{EMAIL_INVALID, EMAIL_MISSING, INVALID_TOKEN, LINK_SENT, RESET, UNKNOWN_EMAIL, assert_says};
use journeys::{Service, paths};
use reqwest::header::{CONTENT_TYPE, COOKIE};
use serde_json::Value;

use crate::fields::{BAD_EMAILS, NEW_PASSWORD, spellings};

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
    let answer = ana.form(paths::SEND_RESET_LINK, &[("email", &email)]).await;
    assert_says(&answer, LINK_SENT, "answer");
    assert_eq!(ana.service.mails(&email).await.len(), 1, "it is sent before the answer, and once");
}

#[tokio::test]
async fn an_unknown_address_gets_no_mail() {
    let mut nobody = Service::shared().visitor();
    let email = nobody.email.clone();
    let answer = nobody.form(paths::SEND_RESET_LINK, &[("email", &email)]).await;
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
