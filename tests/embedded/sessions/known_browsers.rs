//! Known browsers: their cookie, how they become known and are forgotten, and a stolen cookie.

use journeys::{Embedded, PASSWORD, Visitor, paths};
use serde_json::json;
use shared::BrowserSecret;
use shared::system::random::SystemRandom;

use journeys::rows;

async fn start() -> (Embedded, Visitor) {
    let stack = Embedded::start(&[("NOTICES", "on")]).await;
    let ana = stack.service.visitor().registered().await;
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
async fn the_table_holds_the_hash_and_the_name_of_a_browser_and_not_its_secret() {
    let (stack, mut ana) = start().await;
    ana.login(PASSWORD).await;
    let secret = ana.browser.clone().unwrap().replace("browser=", "");
    let all = format!("{:?}", stack.items("accounts").await);
    assert!(!all.contains(&secret), "{all}");
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    let [browser] = profile["browsers"].as_l().unwrap().as_slice() else { panic!("{profile:?}") };
    let browser = browser.as_m().unwrap();
    assert_eq!(rows::text(browser, "hash"), BrowserSecret::parse(&secret).unwrap().hash());
    assert_eq!(rows::text(browser, "name"), "Navegador desconocido");
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
    let mut first = ana.elsewhere();
    first.login(PASSWORD).await;
    for _ in 0..20 {
        assert_eq!(ana.elsewhere().login(PASSWORD).await.success(), true);
    }
    assert_eq!(known(&stack, &ana.email).await, 20);
    drop(stack.table.calls());
    first.without_session().login(PASSWORD).await;
    assert_eq!(stack.table.calls(), ["Query", "TransactWriteItems"], "it is unknown");
}

#[tokio::test]
async fn a_login_takes_two_calls_from_a_new_browser_and_from_a_known_one() {
    let (stack, mut ana) = start().await;
    for calls in [["Query", "TransactWriteItems"], ["Query", "PutItem"]] {
        ana.cookie = None;
        drop(stack.table.calls());
        assert_eq!(ana.login(PASSWORD).await.success(), true);
        assert_eq!(stack.table.calls(), calls);
    }
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
async fn a_reset_and_the_end_of_all_sessions_forget_all_browsers_and_a_new_password_keeps_them() {
    let (stack, mut ana) = start().await;
    ana.login(PASSWORD).await;
    let fields = [("name", "Ana"), ("password", PASSWORD), ("confirm_password", PASSWORD)];
    assert_eq!(ana.form(paths::USER_CONFIG, &fields).await.success(), true);
    assert_eq!(known(&stack, &ana.email).await, 1);
    assert_eq!(ana.form(paths::CLOSE_SESSION, &[("others", "on")]).await.success(), true);
    assert_eq!(known(&stack, &ana.email).await, 0);
    ana.without_session().login(PASSWORD).await;
    assert_eq!(known(&stack, &ana.email).await, 1);
    let token = ana.reset_token().await;
    ana.reset(&token, "Otra1234").await;
    assert_eq!(known(&stack, &ana.email).await, 0);
}

#[tokio::test]
async fn google_logins_store_known_browsers_except_in_redirect_mode() {
    let (stack, ana) = start().await;
    let mut eva = stack.service.visitor();
    assert!(eva.google(json!({})).await.known_browser().is_some());
    assert_eq!(known(&stack, &eva.email).await, 1);
    let credential = eva.credential(json!({})).await;
    let fields = [("credential", &*credential), ("g_csrf_token", "a")];
    let redirect = stack.service.request("POST", paths::GOOGLE_REDIRECT).header("cookie", "g_csrf_token=a");
    let answer = stack.service.send(redirect.form(&fields)).await;
    assert_eq!((answer.status, answer.known_browser()), (303, None));
    assert_eq!(known(&stack, &eva.email).await, 1);
    // A link that removes a stranger's password also forgets the stranger's browser.
    let mut stranger = ana.elsewhere();
    stranger.login(PASSWORD).await;
    let owner = ana.elsewhere().google(json!({})).await.known_browser();
    assert_eq!(known(&stack, &ana.email).await, 1);
    assert!(owner.is_some_and(|owner| Some(owner) != stranger.browser));
}

#[tokio::test]
async fn logins_from_many_new_browsers_at_once_all_succeed() {
    let (stack, ana) = start().await;
    let logins = (0..24).map(|_| {
        let mut browser = ana.elsewhere();
        async move { browser.login(PASSWORD).await }
    });
    for login in futures_util::future::join_all(logins).await {
        assert_eq!(login.success(), true, "{login:?}");
    }
    assert!((1..=20).contains(&known(&stack, &ana.email).await));
}
