//! Known browsers: their cookie, how they become known and are forgotten, and a stolen cookie.

use journeys::{Embedded, PASSWORD, Visitor, paths, rows};
use serde_json::json;
use shared::BrowserSecret;
use shared::system::random::SystemRandom;

async fn start() -> (Embedded, Visitor) {
    let (stack, ana) = Embedded::registered(&[("NOTICES", "on")]).await;
    (stack, ana)
}

/// The number of an account's known browsers.
async fn known(stack: &Embedded, email: &str) -> usize {
    let profile = rows::profile(stack, email).await.unwrap();
    profile.get("browsers").map_or(0, |browsers| browsers.as_l().unwrap().len())
}

#[tokio::test]
async fn a_login_sets_a_cookie_for_a_year_that_a_logout_keeps() {
    let (stack, mut ana) = start().await;
    let login = ana.login(PASSWORD).await;
    let [_, cookie] = &login.set_cookies()[..] else { panic!("{login:?}") };
    assert!(cookie.ends_with("; HttpOnly; SameSite=Lax; Path=/; Max-Age=31536000"), "{cookie}");
    let first = ana.browser.clone();
    assert_eq!(ana.form(paths::LOGOUT, &[]).await.set_cookies().len(), 1);
    assert_eq!(ana.login(PASSWORD).await.known_browser(), first, "the same secret for another year");
    assert_eq!(known(&stack, &ana.email).await, 1);
}

#[tokio::test]
async fn a_browser_that_two_people_share_is_known_to_both() {
    let (stack, mut ana) = start().await;
    ana.login(PASSWORD).await;
    let mut eva = stack.service.visitor().registered().await;
    eva.browser.clone_from(&ana.browser);
    assert_eq!(eva.login(PASSWORD).await.known_browser(), ana.browser);
    ana.without_session().login(PASSWORD).await;
    assert_eq!((known(&stack, &ana.email).await, known(&stack, &eva.email).await), (1, 1));
}

#[tokio::test]
async fn the_twenty_first_browser_replaces_the_oldest() {
    let (stack, ana) = start().await;
    let first = ana.on_another_device().await;
    for _ in 0..20 {
        assert_eq!(ana.elsewhere().login(PASSWORD).await.success(), true);
    }
    assert_eq!(known(&stack, &ana.email).await, 20);
    drop(stack.table.calls());
    first.without_session().login(PASSWORD).await;
    assert_eq!(stack.table.calls(), ["Query", "TransactWriteItems"], "it is unknown");
}

#[tokio::test]
async fn a_stolen_browser_cookie_alone_opens_nothing() {
    let (stack, mut ana) = start().await;
    ana.login(PASSWORD).await;
    let mut thief = ana.without_session();
    assert_eq!(thief.session().await.status, 401);
    assert_eq!(thief.login("Otra1234").await.success(), false);
    // Nor is the secret accepted as a session cookie.
    let secret = thief.browser.clone().unwrap().replace("browser=", "");
    thief.cookie = Some(format!("session={}.{secret}", rows::partition_key(&ana.email)));
    assert_eq!(thief.session().await.status, 401);
    drop(stack);
}

#[tokio::test]
async fn a_browser_cookie_that_is_doubled_or_malformed_is_replaced() {
    let (stack, ana) = start().await;
    let secret = || BrowserSecret::mint(&SystemRandom).unwrap().reveal().to_string();
    for cookie in [format!("browser={}; browser={}", secret(), secret()), "browser=x".to_owned(), "browser=".to_owned()]
    {
        let mut odd = ana.without_session();
        odd.browser = Some(cookie.clone());
        let given = odd.login(PASSWORD).await.known_browser();
        assert!(given.is_some_and(|given| !cookie.contains(&given)), "{cookie}");
    }
    assert_eq!(known(&stack, &ana.email).await, 3);
}

#[tokio::test]
async fn a_reset_and_the_end_of_all_sessions_forget_all_browsers_but_the_callers_and_a_new_password_keeps_them() {
    let (stack, mut ana) = start().await;
    ana.login(PASSWORD).await;
    ana.without_session().elsewhere().login(PASSWORD).await;
    assert_eq!(ana.set_password(PASSWORD).await.success(), true);
    assert_eq!(known(&stack, &ana.email).await, 2);
    let own = ana.browser.clone();
    assert_eq!(ana.form(paths::CLOSE_SESSION, &[("others", "on")]).await.success(), true);
    assert_eq!((known(&stack, &ana.email).await, &ana.browser), (1, &own), "the caller's");
    ana.elsewhere().login(PASSWORD).await;
    let token = ana.reset_token().await;
    let mut new = ana.elsewhere();
    new.reset(&token, "Otra1234").await;
    assert_eq!(known(&stack, &ana.email).await, 1);
    assert!(new.browser.is_some() && new.browser != own, "the one that completed the reset is known from now on");
}

#[tokio::test]
async fn google_logins_store_known_browsers_except_in_redirect_mode() {
    let (stack, ana) = start().await;
    let mut eva = stack.service.visitor();
    assert!(eva.google(json!({})).await.known_browser().is_some());
    assert_eq!(known(&stack, &eva.email).await, 1);
    let answer = eva.google_page(json!({})).await;
    assert_eq!((answer.status, answer.known_browser()), (303, None));
    assert_eq!(known(&stack, &eva.email).await, 1);
    // A link that removes a stranger's password also forgets the stranger's browser.
    let stranger = ana.on_another_device().await;
    let owner = ana.elsewhere().google(json!({})).await.known_browser();
    assert_eq!(known(&stack, &ana.email).await, 1);
    assert!(owner.is_some_and(|owner| Some(owner) != stranger.browser));
}
