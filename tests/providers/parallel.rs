//! Parallel logins: an identity gets one account.

use futures_util::future::{join, join_all};
use journeys::{Answer, Service, Visitor, paths};
use serde_json::{Value, json};

use crate::provider::present;

const CROWD: usize = 32;

/// Presents one credential from many devices at once.
async fn crowd(visitor: &Visitor, credential: &str) -> Vec<(Visitor, Answer)> {
    join_all((0..CROWD).map(|_| async {
        let mut device = visitor.elsewhere();
        let answer = present(&mut device, credential).await;
        (device, answer)
    }))
    .await
}

fn count(logins: &[(Visitor, Answer)], status: &str) -> usize {
    logins.iter().filter(|(_, login)| login.json()["status"] == status).count()
}

/// The answers, for the messages of failed assertions.
fn texts(logins: &[(Visitor, Answer)]) -> Vec<&str> {
    logins.iter().map(|(_, login)| login.text.as_str()).collect()
}

/// Asserts that all logins opened live sessions of one account, and returns its id.
async fn one_account(logins: Vec<(Visitor, Answer)>) -> Value {
    let id = logins[0].1.user("id");
    assert!(id.is_u64(), "{:?}", logins[0].1);
    // One after the other: only the logins have to be simultaneous, and an emulator starts a process for each call.
    for (mut device, login) in logins {
        let session = device.session().await;
        assert_eq!((login.user("id"), session.status), (id.clone(), 200), "{login:?} {session:?}");
        assert_eq!(session.user("id"), id);
    }
    id
}

#[tokio::test]
async fn simultaneous_logins_that_link_an_account_all_succeed() {
    let mut stranger = Service::shared().visitor().signed_in().await;
    let registered = stranger.session().await;
    let credential = stranger.credential(json!({})).await;
    let logins = crowd(&stranger, &credential).await;
    assert_eq!(count(&logins, "exists"), CROWD, "{:?}", texts(&logins));
    assert_eq!(one_account(logins).await, registered.user("id"));
    assert_eq!(stranger.session().await.status, 401);
    stranger.first_letter("Tu cuenta ya no tiene contraseña").await;
    let mails = stranger.service.mails(&stranger.email).await;
    assert_eq!(mails.len(), 1, "{mails:?}");
}

#[tokio::test]
async fn simultaneous_logins_at_both_google_endpoints_create_one_account() {
    let ana = Service::shared().visitor();
    let credential = ana.credential(json!({})).await;
    // With those of the crowd these are 48 logins, below the limit of an account's sessions.
    let pages = join_all((0..CROWD / 2).map(|_| async {
        let mut device = ana.elsewhere();
        let fields = [("credential", credential.as_str()), ("g_csrf_token", "secret")];
        let request = device.service.request("POST", paths::GOOGLE_REDIRECT);
        let page = device.send(request.header("cookie", "g_csrf_token=secret").form(&fields)).await;
        (device, page)
    }));
    let (logins, pages) = join(crowd(&ana, &credential), pages).await;
    assert!(count(&logins, "inserted") <= 1 && count(&logins, "inserted") + count(&logins, "exists") == CROWD);
    let id = one_account(logins).await;
    for (mut device, page) in pages {
        let session = device.session().await;
        assert_eq!((page.status, session.user("id")), (303, id.clone()), "{page:?}");
    }
}

#[tokio::test]
async fn simultaneous_logins_of_two_identities_with_one_address_create_one_account() {
    let ana = Service::shared().visitor();
    let (one, other) =
        (ana.credential(json!({"sub": format!("1-{}", ana.email)})).await, ana.credential(json!({})).await);
    let mut devices = [ana.elsewhere(), ana.elsewhere()];
    let [first, second] = &mut devices;
    let (first, second) = join(present(first, &one), present(second, &other)).await;
    assert_eq!((first.status, second.status), (200, 200), "{first:?} {second:?}");
    assert_eq!(first.user("id"), second.user("id"));
    let inserted = [&first, &second].iter().filter(|login| login.json()["status"] == "inserted").count();
    assert_eq!(inserted, 1);
    // The later of the two logins has taken over the account, so exactly one session is live.
    let mut alive = 0;
    for mut device in devices {
        alive += usize::from(device.session().await.status == 200);
    }
    assert_eq!(alive, 1);
}
