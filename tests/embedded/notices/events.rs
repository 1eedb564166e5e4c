//! The changes of an account that its owner is notified of, and the content of the letters.

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::{Embedded, PASSWORD, Visitor, paths};
use reqwest::header::USER_AGENT;
use serde_json::json;

use super::{
    ACCOUNT_DELETED, GOOGLE_LINKED, GOOGLE_UNLINKED, NEW_BROWSER, PASSWORD_CHANGED, PASSWORD_REMOVED, newest,
    subjects_after_delivery, with_notices_on,
};
use journeys::rows;

const OTHER: &str = "Otra1234";
const FIREFOX: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";

async fn change_password(visitor: &mut Visitor) {
    let fields = [("name", "Ana"), ("password", OTHER), ("confirm_password", OTHER)];
    let request = visitor.request(paths::USER_CONFIG).header(USER_AGENT, FIREFOX).form(&fields);
    assert_eq!(visitor.send(request).await.success(), true);
}

#[tokio::test]
async fn a_registration_and_everyday_use_send_no_letter() {
    let stack = with_notices_on().await;
    let mut ana = stack.service.visitor().signed_in().await;
    assert_eq!(ana.form(paths::USER_CONFIG, &[("name", "Otro nombre")]).await.success(), true);
    assert_eq!(ana.without_session().login(PASSWORD).await.success(), true, "the same browser");
    ana.without_session().login(OTHER).await;
    ana.reset_token().await;
    ana.form(paths::LOGOUT, &[]).await;
    let mut eva = stack.service.visitor();
    for _ in 0..2 {
        assert_eq!(eva.google(json!({})).await.status, 200);
    }
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [""; 0]);
    assert_eq!(subjects_after_delivery(&stack, &eva).await, [""; 0]);
}

#[tokio::test]
async fn the_owner_is_notified_of_a_new_password_with_its_time_and_browser() {
    let stack = with_notices_on().await;
    let mut ana = stack.service.visitor().signed_in().await;
    change_password(&mut ana).await;
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [PASSWORD_CHANGED]);
    let letter = newest(&ana).await;
    for part in ["text", "html"] {
        let part = letter[part].as_str().unwrap();
        assert!(part.contains("Firefox en Windows") && part.contains("UTC"), "{part}");
        assert!(!part.contains("Ana García"), "the address is not verified: {part}");
        assert_eq!(part.matches("token=").count(), 1, "the link that locks the account: {part}");
    }
}

#[tokio::test]
async fn the_owner_is_notified_of_a_reset_and_greeted_only_by_a_name_from_after_the_proof() {
    let stack = with_notices_on().await;
    let mut ana = stack.service.visitor().registered().await;
    ana.reset_to(OTHER).await;
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [PASSWORD_CHANGED]);
    let greeting = async || newest(&ana).await["text"].as_str().unwrap().lines().next().unwrap().to_owned();
    assert_eq!(greeting().await, "Hola:", "a stranger may have chosen the name");
    for (name, greeted) in [("Ana García", "Hola:"), ("Ana López", "Hola, Ana López:")] {
        let mut owner = ana.elsewhere();
        assert_eq!(owner.login(OTHER).await.success(), true);
        let fields = [("name", name), ("password", OTHER), ("confirm_password", OTHER)];
        assert_eq!(owner.form(paths::USER_CONFIG, &fields).await.success(), true);
        assert!(stack.deliver_changes().await);
        assert_eq!(greeting().await, greeted);
    }
}

#[tokio::test]
async fn the_owner_is_notified_once_of_a_link_to_google_and_not_of_its_browser() {
    let stack = with_notices_on().await;
    let mut ana = stack.service.visitor().signed_in().await;
    let credential = json!({"credential": ana.credential(json!({})).await});
    let mut other = ana.elsewhere();
    let login = other.request(paths::GOOGLE_LOGIN).header(USER_AGENT, FIREFOX).json(&credential);
    assert_eq!(other.send(login).await.status, 200);
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [PASSWORD_REMOVED]);
    let letter = newest(&ana).await;
    for word in ["contraseña", "Ana García", "Firefox en Windows"] {
        assert!(letter["text"].as_str().unwrap().contains(word), "{letter}");
    }
    // The owner is notified once of another browser.
    let mut owner = ana.elsewhere();
    assert_eq!(owner.google(json!({})).await.status, 200);
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [PASSWORD_REMOVED, NEW_BROWSER]);
    assert_eq!(owner.google(json!({})).await.status, 200);
    assert_eq!(subjects_after_delivery(&stack, &ana).await.len(), 2);
    // A reset sets a password again, and the owner is notified of it.
    ana.reset_to(OTHER).await;
    assert_eq!(subjects_after_delivery(&stack, &ana).await.pop().unwrap(), PASSWORD_CHANGED);
}

#[tokio::test]
async fn the_owner_is_notified_of_a_link_to_google_that_keeps_the_password_of_its_removal_and_of_the_next_link() {
    let stack = with_notices_on().await;
    let mut ana = stack.service.visitor().registered().await;
    ana.reset_to(OTHER).await;
    assert_eq!(ana.google(json!({})).await.status, 200);
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [PASSWORD_CHANGED, GOOGLE_LINKED]);
    assert!(!newest(&ana).await["text"].as_str().unwrap().contains("eliminado"), "nothing was removed");
    let unlinking = ana.request(paths::UNLINK_GOOGLE).header(USER_AGENT, FIREFOX);
    assert_eq!(ana.send(unlinking).await.success(), true);
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [PASSWORD_CHANGED, GOOGLE_LINKED, GOOGLE_UNLINKED]);
    let letter = newest(&ana).await;
    assert!(letter["text"].as_str().unwrap().contains("Firefox en Windows"), "{letter}");
    assert_eq!(ana.elsewhere().google(json!({})).await.status, 200);
    assert_eq!(subjects_after_delivery(&stack, &ana).await.pop().unwrap(), GOOGLE_LINKED);
}

#[tokio::test]
async fn the_owner_is_notified_of_the_deletion_and_not_of_a_new_account_of_the_address() {
    let stack = with_notices_on().await;
    let mut ana = stack.service.visitor().signed_in().await;
    assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [ACCOUNT_DELETED]);
    ana.register().await;
    ana.login(PASSWORD).await;
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [ACCOUNT_DELETED]);
}

#[tokio::test]
async fn the_owner_is_notified_of_the_first_login_of_each_further_browser() {
    let stack = with_notices_on().await;
    let mut ana = stack.service.visitor().signed_in().await;
    ana.reset_to(PASSWORD).await;
    ana.login(PASSWORD).await;
    let told = async || {
        let subjects = subjects_after_delivery(&stack, &ana).await;
        subjects.into_iter().filter(|subject| subject == NEW_BROWSER).count()
    };
    assert_eq!(told().await, 0, "the browser of the reset is known");
    let mut phone = ana.elsewhere();
    let form = [("email", &*phone.email.clone()), ("password", PASSWORD)].map(|(name, value)| (name, value.to_owned()));
    let login = phone.request(paths::LOGIN).header(USER_AGENT, FIREFOX).form(&form);
    assert_eq!(phone.send(login).await.success(), true);
    assert_eq!(told().await, 1);
    assert!(newest(&ana).await["text"].as_str().unwrap().contains("Firefox en Windows"));
    phone.without_session().login(PASSWORD).await;
    ana.without_session().login(PASSWORD).await;
    assert_eq!(told().await, 1);
    // Ending all other sessions forgets all browsers but the caller's.
    assert_eq!(ana.clone().form(paths::CLOSE_SESSION, &[("others", "on")]).await.success(), true);
    ana.without_session().login(PASSWORD).await;
    assert_eq!(told().await, 1);
    phone.without_session().login(PASSWORD).await;
    assert_eq!(told().await, 2);
}

#[tokio::test]
async fn an_upgraded_hash_and_an_imported_account_send_no_letter() {
    let stack = with_notices_on().await;
    let ana = stack.service.visitor().signed_in().await;
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    let weak = AttributeValue::S(rows::weak_hash(PASSWORD));
    rows::put(&stack, rows::with(&profile, "password", Some(weak))).await;
    assert_eq!(ana.without_session().login(PASSWORD).await.success(), true);
    let upgraded = rows::text(&rows::profile(&stack, &ana.email).await.unwrap(), "password");
    assert_ne!(upgraded, rows::text(&profile, "password"), "the hash was upgraded");
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [""; 0]);
    // An import puts a profile, as `accounts import` does.
    let eva = stack.service.visitor();
    rows::copy_account(&stack, &profile, &eva).await;
    assert_eq!(subjects_after_delivery(&stack, &eva).await, [""; 0]);
}

#[tokio::test]
async fn a_change_that_an_import_has_written_sends_no_letter_and_the_owners_next_one_does() {
    let stack = with_notices_on().await;
    let mut ana = stack.service.visitor().registered().await;
    let n = |number: &str| Some(AttributeValue::N(number.to_owned()));
    let s = |text: &str| Some(AttributeValue::S(text.to_owned()));
    let mut profile = rows::profile(&stack, &ana.email).await.unwrap();
    for (name, value) in [("import_run", s("a run")), ("import_digest", s("first")), ("import_generation", n("1"))] {
        profile = rows::with(&profile, name, value);
    }
    rows::put(&stack, profile.clone()).await;
    let changed = [
        ("password", s(&rows::weak_hash(OTHER))),
        ("google_sub", s("901")),
        ("generation", n("2")),
        ("import_generation", n("2")),
        ("import_digest", s("second")),
    ];
    for (name, value) in changed {
        profile = rows::with(&profile, name, value);
    }
    rows::put(&stack, profile).await;
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [""; 0]);
    assert_eq!(ana.login(OTHER).await.success(), true);
    change_password(&mut ana).await;
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [PASSWORD_CHANGED]);
}

#[tokio::test]
async fn with_notices_off_the_owner_is_notified_only_of_a_link_that_removed_the_password() {
    let (stack, mut ana) = Embedded::signed_in(&[("NOTICES", "off")]).await;
    change_password(&mut ana).await;
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [""; 0]);
    ana.elsewhere().google(json!({})).await;
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [PASSWORD_REMOVED]);
    ana.elsewhere().google(json!({"sub": "another"})).await;
    let mut ana = ana.elsewhere();
    ana.google(json!({})).await;
    assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [PASSWORD_REMOVED]);
}

#[tokio::test]
async fn by_default_owners_are_notified_of_changes_and_browsers_get_only_the_session_cookie() {
    let (stack, mut ana) = Embedded::registered(&[]).await;
    assert_eq!(ana.login(PASSWORD).await.set_cookies().len(), 1);
    let mut other = ana.elsewhere();
    assert_eq!(other.login(PASSWORD).await.set_cookies().len(), 1);
    change_password(&mut other).await;
    assert_eq!(subjects_after_delivery(&stack, &ana).await, [PASSWORD_CHANGED]);
}
