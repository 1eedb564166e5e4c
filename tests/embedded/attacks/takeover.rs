//! Taking over an account: with a look-alike address, from a page of another origin, or by registering the owner's
//! address first.

use journeys::bodies::{FORM, MULTIPART, multipart, urlencoded};
use journeys::sentences::{EMAIL_INVALID, owned_sentence};
use journeys::{Embedded, PASSWORD, Visitor, paths};
use serde_json::json;

use journeys::sound::assert_sound;

#[tokio::test]
async fn an_address_that_looks_like_another_one_is_refused() {
    let stack = Embedded::start(&[]).await;
    let mut kiss = stack.service.visitor();
    kiss.email = format!("kisse-{}", kiss.email);
    assert_eq!(kiss.register().await.success(), true);
    for (letter, look_alike) in
        [("k", "\u{212a}"), ("i", "\u{131}"), ("i", "\u{130}"), ("s", "\u{17f}"), ("k", "\u{ff4b}"), ("e", "\u{435}")]
    {
        let mut attacker = Visitor { email: kiss.email.replacen(letter, look_alike, 1), ..kiss.elsewhere() };
        let email = attacker.email.clone();
        assert_eq!(attacker.register().await.sentence(), owned_sentence(EMAIL_INVALID), "{email}");
        assert_eq!(attacker.login(PASSWORD).await.sentence(), owned_sentence(EMAIL_INVALID), "{email}");
        let link = attacker.form(paths::SEND_RESET_LINK, &[("email", &email)]).await;
        assert_eq!(link.sentence(), owned_sentence(EMAIL_INVALID), "{email}");
        assert_eq!(attacker.google(json!({})).await.status, 401, "{email}");
    }
    assert!(stack.mail.calls().is_empty());
}

/// Requests of a page of another origin, with the victim's cookies: what it can send without a preflight, and with the
/// header that a kept preflight allows.
fn forged(stack: &Embedded, path: &str, cookie: &str, content_type: &str, body: String) -> reqwest::RequestBuilder {
    let request = stack.service.request("POST", path).header("origin", "https://evil.example").header("cookie", cookie);
    request.header("content-type", content_type).body(body)
}

#[tokio::test]
async fn a_page_of_another_origin_cannot_sign_in_or_change_anything() {
    let (stack, mut victim) = Embedded::signed_in(&[]).await;
    let attacker = stack.service.visitor().registered().await;
    let (token, cookie) = (victim.reset_token().await, victim.cookie.clone().unwrap());
    let credential = attacker.credential(json!({})).await;
    let fields = [
        ("email", attacker.email.as_str()),
        ("password", PASSWORD),
        ("name", "Eva"),
        ("nombre", "Eva"),
        ("token", &token),
        ("credential", &credential),
        ("g_csrf_token", "x"),
    ];
    let bodies = [
        (FORM, urlencoded(&fields)),
        (MULTIPART, multipart(&fields)),
        ("text/plain", json!({"credential": credential}).to_string()),
    ];
    drop((stack.table.calls(), stack.mail.calls()));
    for &path in paths::ALL {
        for (content_type, body) in &bodies {
            let forged = || forged(&stack, path, &cookie, content_type, body.clone());
            for request in [forged(), forged().header("x-requested-with", "XMLHttpRequest")] {
                let answer = stack.service.send(request).await;
                assert_eq!((answer.status, answer.set_cookies().len()), (403, 0), "{path} {content_type}");
            }
        }
    }
    assert!(stack.table.calls().is_empty() && stack.mail.calls().is_empty());
    assert_eq!(victim.session().await.user("name"), "Ana García");
}

#[tokio::test]
async fn a_presented_session_never_links_an_identity_to_its_account() {
    let stack = Embedded::start(&[]).await;
    // The attacker registers another person's address before its owner does.
    let mut attacker = stack.service.visitor().signed_in().await;
    let (account, cookie) = (attacker.session().await.user("id"), attacker.cookie.clone());
    let own = stack.service.visitor().email;
    let mut trojan = Visitor { email: own, cookie, ..attacker.elsewhere() };
    let login = trojan.google(json!({})).await;
    assert_eq!(login.json()["status"], "inserted");
    assert_ne!(login.user("id"), account);
    let owner = attacker.elsewhere().google(json!({})).await;
    assert_eq!((&owner.json()["status"], owner.user("id")), (&json!("exists"), account.clone()));
    assert_ne!(trojan.elsewhere().google(json!({})).await.user("id"), account);
    assert_sound(&stack).await;
}

#[tokio::test]
async fn a_reset_by_the_owner_ends_the_sessions_and_links_and_the_password_of_an_earlier_registrant() {
    let (_stack, mut attacker) = Embedded::signed_in(&[]).await;
    let mut second = attacker.elsewhere();
    assert_eq!(second.login(PASSWORD).await.success(), true);
    let older = attacker.reset_token().await;
    let mut owner = attacker.elsewhere();
    let token = owner.reset_token().await;
    assert_eq!(owner.reset(&token, "Otra1234").await.success(), true);
    for device in [&mut attacker, &mut second] {
        assert_eq!(device.session().await.status, 401);
    }
    assert_eq!(attacker.login(PASSWORD).await.success(), false);
    for token in [older, token] {
        assert_eq!(attacker.reset(&token, PASSWORD).await.success(), false);
    }
    assert_eq!(owner.login("Otra1234").await.success(), true);
}
