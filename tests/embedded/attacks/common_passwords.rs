//! `COMMON_PASSWORDS=refuse`: new passwords that an attacker guesses first.

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::sentences::{
    CONFIGURED, INVALID_TOKEN, LOGGED_IN, PASSWORD_COMMON, PASSWORDS_DIFFER, REGISTERED, RESET, WEAK, assert_says,
};
use journeys::{Answer, Embedded, Item, Visitor, paths, rows};
use serde_json::json;
use shared::store::{Accounts, Issued, Resets};

const REFUSE: [(&str, &str); 1] = [("COMMON_PASSWORDS", "refuse")];
/// A password that is neither common nor made of a visitor's address or name.
const UNCOMMON: &str = "Xilofono-azul-71";

/// Passwords made of the address or the name of [`Visitor::register`]: `ana-…@example.com`, Ana García.
fn personal(visitor: &Visitor) -> Vec<String> {
    let (local, _) = visitor.email.split_once('@').unwrap();
    let local = format!("A{}", local.trim_start_matches('a'));
    vec![
        format!("{local}1!"),
        format!("{local}@example.com1"),
        "Example.com1".to_owned(),
        "EXAMPLE-2026".to_owned(),
        "García2026".to_owned(),
        "Ana García 1".to_owned(),
    ]
}

async fn register(visitor: &mut Visitor, password: &str, confirmation: &str) -> Answer {
    visitor.register_with(&[("password", password), ("confirm-password", confirmation)]).await
}

async fn configure(visitor: &mut Visitor, name: &str, password: &str) -> Answer {
    let fields = [("name", name), ("password", password), ("confirm_password", password)];
    visitor.form(paths::USER_CONFIG, &fields).await
}

/// A signed-in visitor of a stack that refuses common passwords.
async fn start() -> (Embedded, Visitor) {
    let stack = Embedded::start(&REFUSE).await;
    let mut ana = stack.service.visitor();
    assert_says(&register(&mut ana, UNCOMMON, UNCOMMON).await, REGISTERED, UNCOMMON);
    assert_says(&ana.login(UNCOMMON).await, LOGGED_IN, UNCOMMON);
    (stack, ana)
}

#[tokio::test]
async fn common_passwords_are_accepted_by_default() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor();
    assert_says(&register(&mut ana, "Password1", "Password1").await, REGISTERED, "a registration");
    ana.login("Password1").await;
    assert_says(&configure(&mut ana, "Ana", "Qwertyuiop1").await, CONFIGURED, "settings");
    let token = ana.reset_token().await;
    assert!(!rows::profile(&stack, &ana.email).await.unwrap().contains_key("reset_words"));
    assert_says(&ana.reset(&token, "García2026").await, RESET, "a reset");
}

#[tokio::test]
async fn a_registration_refuses_common_and_personal_passwords() {
    let stack = Embedded::start(&REFUSE).await;
    let mut ana = stack.service.visitor();
    let listed = ["Password1", "QWERTYUIOP!99", "Dragon2026!"].map(str::to_owned);
    for password in listed.into_iter().chain(personal(&ana)) {
        assert_says(&register(&mut ana, &password, &password).await, PASSWORD_COMMON, &password);
    }
    assert_says(&register(&mut ana, "password", "password").await, WEAK, "the rule is checked before the list");
    assert_says(&register(&mut ana, "Password1", "x").await, PASSWORD_COMMON, "the list before the confirmation");
    assert_says(&register(&mut ana, UNCOMMON, "x").await, PASSWORDS_DIFFER, "the confirmation");
    assert_says(&register(&mut ana, UNCOMMON, UNCOMMON).await, REGISTERED, UNCOMMON);
}

#[tokio::test]
async fn settings_refuse_common_passwords_and_those_of_the_old_and_the_new_name() {
    let (_stack, mut ana) = start().await;
    for password in personal(&ana).iter().map(String::as_str).chain(["Password1", "Fernández-99", "EvaFernández1"]) {
        assert_says(&configure(&mut ana, "Eva Fernández", password).await, PASSWORD_COMMON, password);
    }
    assert_says(&ana.elsewhere().login(UNCOMMON).await, LOGGED_IN, "nothing has changed");
    assert_eq!(ana.session().await.user("name"), "Ana García");
    assert_says(&configure(&mut ana, "Eva Fernández", "Otra-cosa-71-azul").await, CONFIGURED, "another");
}

#[tokio::test]
async fn a_reset_refuses_common_and_personal_passwords_and_keeps_the_token() {
    let (_stack, mut ana) = start().await;
    let token = ana.reset_token().await;
    for password in personal(&ana).iter().map(String::as_str).chain(["Password1"]) {
        assert_says(&ana.reset(&token, password).await, PASSWORD_COMMON, password);
    }
    assert_says(&ana.elsewhere().login(UNCOMMON).await, LOGGED_IN, "nothing has changed");
    assert_says(&ana.reset(&token, "Otra-cosa-71-azul").await, RESET, "the token still works");
    assert_says(&ana.reset(&token, "García2026").await, INVALID_TOKEN, "a used token");
}

#[tokio::test]
async fn without_a_valid_token_a_reset_does_not_reveal_the_owners_words() {
    let (stack, mut ana) = start().await;
    let older = ana.reset_token().await;
    let token = ana.reset_token().await;
    let (key, _) = token.split_once('.').unwrap();
    let forged = format!("{key}.{}", "A".repeat(43));
    for token in [&*older, &*forged] {
        for password in personal(&ana).iter().map(String::as_str).chain([UNCOMMON]) {
            assert_says(&ana.reset(token, password).await, INVALID_TOKEN, password);
        }
    }
    stack.advance(std::time::Duration::from_mins(30));
    assert_says(&ana.reset(&token, "García2026").await, INVALID_TOKEN, "an expired token");
}

#[tokio::test]
async fn the_table_has_the_owners_words_only_as_hashes_keyed_with_the_token() {
    let (stack, mut ana) = start().await;
    let words = |row: &Item| row.get("reset_words").map(|words| words.as_ss().unwrap().clone());
    ana.reset_token().await;
    let first = words(&rows::profile(&stack, &ana.email).await.unwrap()).unwrap();
    assert!(first.iter().all(|word| word.len() == 43), "{first:?}");
    let token = ana.reset_token().await;
    let second = words(&rows::profile(&stack, &ana.email).await.unwrap()).unwrap();
    assert!(first.iter().all(|word| !second.contains(word)), "another token gives other hashes");
    ana.reset(&token, "Otra-cosa-71-azul").await;
    assert_eq!(words(&rows::profile(&stack, &ana.email).await.unwrap()), None);
}

/// The names of the attributes of a reset token that an account has.
async fn reset_attributes(stack: &Embedded, visitor: &Visitor) -> Vec<String> {
    let profile = rows::profile(stack, &visitor.email).await.unwrap();
    let mut names: Vec<String> = profile.into_keys().filter(|name| name.starts_with("reset_")).collect();
    names.sort();
    names
}

#[tokio::test]
async fn nothing_of_a_reset_token_stays_when_it_ends() {
    let (stack, mut ana) = start().await;
    let all = ["reset_expires_at", "reset_hash", "reset_words"];
    let token = ana.reset_token().await;
    assert_eq!(reset_attributes(&stack, &ana).await, all);
    assert_says(&configure(&mut ana, "Ana", "Otra-cosa-71-azul").await, CONFIGURED, "the settings");
    assert_eq!(reset_attributes(&stack, &ana).await, [""; 0], "a new password in the settings");
    assert_says(&ana.reset(&token, UNCOMMON).await, INVALID_TOKEN, "it has ended");

    ana.reset_token().await;
    ana.elsewhere().google(json!({})).await;
    assert_eq!(reset_attributes(&stack, &ana).await, [""; 0], "a link to Google of an unverified address");

    ana.reset_to(UNCOMMON).await;
    assert_eq!(reset_attributes(&stack, &ana).await, [""; 0], "its use");

    ana.reset_token().await;
    let accepting = stack.setup(&[]);
    let email = shared::Email::parse(&ana.email).unwrap();
    let account = Accounts::new(&accepting).by_email(&email).await.unwrap().unwrap();
    assert!(matches!(Resets::new(&accepting).issue(&account).await, Ok(Issued::Token(_))));
    assert_eq!(reset_attributes(&stack, &ana).await, all[..2], "a token that is issued without words");
}

#[tokio::test]
async fn a_login_accepts_a_common_password_that_an_account_already_has() {
    let (stack, mut ana) = start().await;
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    let hash = AttributeValue::S(rows::weak_hash("Password1"));
    rows::put(&stack, rows::with(&profile, "password", Some(hash))).await;
    assert_says(&ana.login("Password1").await, LOGGED_IN, "a login");
}
