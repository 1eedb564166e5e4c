//! Login by password.

use journeys::{PASSWORD, Service, paths};

#[tokio::test]
async fn the_right_password_opens_a_session() {
    let mut ana = Service::shared().visitor();
    ana.register().await;
    let login = ana.login(PASSWORD).await;
    insta::assert_snapshot!(login.whole(), @"");
    assert_eq!(ana.session().await.status, 200);
    let _ = paths::LOGIN;
}
