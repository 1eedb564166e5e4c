//! Taking over an account: with a look-alike address, from a page of another origin, by registering the owner's address
//! first, and by a change of address, with its limits in time and in mails.

use std::time::Duration;

use journeys::bodies::{FORM, MULTIPART, multipart, urlencoded};
use journeys::sentences::{
    CHANGE_SENT, EMAIL_CHANGED, EMAIL_INVALID, INVALID_TOKEN, LOCKED, LOGGED_IN, TOO_MANY_MAILS, WRONG_CREDENTIALS,
    assert_says, owned_sentence,
};
use journeys::sound::assert_sound;
use journeys::{Embedded, PASSWORD, Visitor, paths};
use serde_json::json;
use shared::store::operator::{Moved, Operator};
use shared::{AccountKey, Email};

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
        let link = attacker.ask_for_reset().await;
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

const OTHER: &str = "Otra1234";
const NOTICE: &str = "El email de tu cuenta ha cambiado";

/// An account with a proved address, and a session.
async fn proved(stack: &Embedded) -> Visitor {
    let mut ana = stack.service.visitor().signed_in().await;
    ana.prove_address().await;
    ana
}

#[tokio::test]
async fn the_link_to_a_new_address_lives_a_day() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let new = ana.new_email();
    let token = ana.change_token(&new).await;
    stack.advance(Duration::from_hours(24) + Duration::from_secs(1));
    assert_says(&ana.elsewhere().confirm_email(&token).await, INVALID_TOKEN, "too late");
    ana.login(PASSWORD).await;
    let token = ana.change_token(&new).await;
    stack.advance(Duration::from_hours(24) - Duration::from_mins(1));
    assert_says(&ana.elsewhere().confirm_email(&token).await, EMAIL_CHANGED, "in time");
}

#[tokio::test]
async fn after_seventy_two_hours_a_change_of_address_is_final() {
    let stack = Embedded::start(&[]).await;
    let ana = proved(&stack).await;
    let (left, new) = (ana.elsewhere(), ana.new_email());
    let mut ana = ana.moved_to(&new).await;
    assert!(stack.deliver_changes().await);
    let late = left.lock_tokens().await.swap_remove(0);
    stack.advance(Duration::from_hours(72) + Duration::from_secs(1));
    assert_says(&left.clone().lock(&late).await, INVALID_TOKEN, "the link to the old address");
    // A newer notice locks the account, and leaves its address.
    ana.login(PASSWORD).await;
    let lock = stack.lock_token(&ana).await;
    assert_says(&ana.elsewhere().lock(&lock).await, LOCKED, "locked");
    let token = ana.newest_token().await;
    assert_eq!(ana.reset(&token, PASSWORD).await.success(), true);
    assert_says(&ana.login(PASSWORD).await, LOGGED_IN, "the new address");
    assert_says(&left.clone().login(PASSWORD).await, WRONG_CREDENTIALS, "the old address");
}

/// Presses the link of a notice, sets another password with the link that this mails, and logs in with it.
async fn locked_and_back(left: &Visitor, link: &str) {
    assert_says(&left.clone().lock(link).await, LOCKED, "locked");
    let token = left.newest_token().await;
    assert_eq!(left.clone().reset(&token, OTHER).await.success(), true, "the link goes to the restored address");
    assert_says(&left.clone().login(OTHER).await, LOGGED_IN, "the restored address");
}

#[tokio::test]
async fn a_thief_who_changes_the_address_ten_times_does_not_push_the_owners_out() {
    let stack = Embedded::start(&[("MAILS_PER_DAY", "100")]).await;
    let mut thief = proved(&stack).await;
    let owner = thief.elsewhere();
    for number in 0..10 {
        thief = thief.moved_to(&format!("{number}-{}", owner.email)).await;
        thief.login(PASSWORD).await;
        assert!(stack.deliver_changes().await);
    }
    locked_and_back(&owner, &owner.lock_tokens().await.swap_remove(0)).await;
    assert_says(&thief.elsewhere().login(PASSWORD).await, WRONG_CREDENTIALS, "the last address");
    assert_sound(&stack).await;
}

#[tokio::test]
async fn an_address_comes_back_from_a_stranger_who_has_not_proved_it_however_both_accounts_came_to_it() {
    for stranger_moved in [false, true] {
        let stack = Embedded::start(&[]).await;
        let mut ana = proved(&stack).await;
        let (first, second) = (ana.new_email(), format!("thief-{}", ana.email));
        ana = ana.moved_to(&first).await;
        stack.advance(Duration::from_hours(73));
        ana.login(PASSWORD).await;
        let owner = ana.elsewhere();
        ana.moved_to(&second).await;
        assert!(stack.deliver_changes().await);
        let link = owner.lock_tokens().await.swap_remove(0);
        let mut stranger = stack.service.visitor();
        if !stranger_moved {
            first.clone_into(&mut stranger.email);
        }
        let stranger = stranger.registered().await;
        if stranger_moved {
            // An operator gives it an address that nobody has proved.
            let operator = Operator::new(&stack.setup(&[]));
            let key = AccountKey::of(&Email::parse(&stranger.email).unwrap());
            let read = operator.partition(&key).await.unwrap().unwrap().profile;
            let moved = operator.set_email(&read, &Email::parse(&first).unwrap()).await.unwrap();
            assert_eq!(moved, Moved::Done);
        }
        locked_and_back(&owner, &link).await;
        assert_says(&stranger.without_session().login(PASSWORD).await, WRONG_CREDENTIALS, stranger_moved);
        assert_sound(&stack).await;
    }
}

#[tokio::test]
async fn the_old_address_is_told_of_the_change_even_after_a_flood_of_notices() {
    let stack = Embedded::start(&[("MAILS_PER_DAY", "2")]).await;
    let mut thief = proved(&stack).await;
    for _ in 0..3 {
        assert_eq!(thief.form(paths::EXPORT_ACCOUNT, &[]).await.success(), true);
        thief.with_passkey().await;
    }
    let (left, new) = (thief.elsewhere(), thief.new_email());
    thief.moved_to(&new).await;
    assert!(stack.deliver_changes().await);
    let mails = stack.service.mails(&left.email).await;
    assert_eq!(mails.first().unwrap()["subject"], NOTICE, "{mails:?}");
    let lock = left.lock_tokens().await.swap_remove(0);
    assert_says(&left.clone().lock(&lock).await, LOCKED, "locked");
}

#[tokio::test]
async fn an_account_sends_links_to_new_addresses_and_an_address_gets_them_up_to_the_budget_of_a_day() {
    let (stack, mut ana) = Embedded::signed_in(&[("MAILS_PER_DAY", "2")]).await;
    for number in 0..2 {
        assert_says(&ana.change_email(&format!("victima-{number}@example.com")).await, CHANGE_SENT, number);
    }
    assert_says(&ana.change_email("victima-2@example.com").await, TOO_MANY_MAILS, "of the account");
    for wave in 0..2 {
        let mut eva = stack.service.visitor().signed_in().await;
        let said = if wave == 0 { CHANGE_SENT } else { TOO_MANY_MAILS };
        assert_says(&eva.change_email("victima-0@example.com").await, said, "to the address");
    }
    stack.advance(Duration::from_hours(25));
    ana.login(PASSWORD).await;
    assert_says(&ana.change_email("victima-2@example.com").await, CHANGE_SENT, "a day later");
}
