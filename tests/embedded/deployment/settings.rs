//! The settings of the cookie and the avatars. The limit of failed logins is in `attacks/attempts.rs`.

use journeys::{Embedded, FRONT_END, PASSWORD, paths};

#[tokio::test]
async fn behind_https_the_cookie_is_bound_to_its_host() {
    let stack = Embedded::start(&[("COOKIE_SECURE", "true")]).await;
    let mut ana = stack.service.visitor();
    ana.register().await;
    let line = ana.login(PASSWORD).await.set_cookies().pop().unwrap();
    let (pair, attributes) = line.split_once(';').unwrap();
    assert!(pair.starts_with("__Host-session="), "{line}");
    assert_eq!(attributes, " HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=604800");
    assert_eq!(ana.session().await.status, 200);
    let mut plain = ana.elsewhere();
    plain.cookie = Some(pair.replace("__Host-", ""));
    assert_eq!(plain.session().await.status, 401, "the name without the prefix is another cookie");
    let ending = ana.form(paths::LOGOUT, &[]).await.set_cookies().pop().unwrap();
    assert_eq!(ending, "__Host-session=; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=0");
}

#[tokio::test]
async fn the_avatars_may_be_on_another_host() {
    let stack = Embedded::start(&[("AVATAR_BASE_URL", "https://cdn.example/static")]).await;
    let mut ana = stack.service.visitor().signed().await;
    let address = |name: &str| format!("https://cdn.example/static/assets/avatars/{name}.jpeg");
    assert_eq!(ana.session().await.user("url_image"), address("default"));
    let third = address("03");
    assert_eq!(ana.form(paths::USER_CONFIG, &[("name", "Ana"), ("avatar", &third)]).await.success(), true);
    assert_eq!(ana.session().await.user("url_image"), third);
    let elsewhere = format!("{FRONT_END}/assets/avatars/03.jpeg");
    assert_eq!(ana.form(paths::USER_CONFIG, &[("name", "Ana"), ("avatar", &elsewhere)]).await.status, 400);
}
