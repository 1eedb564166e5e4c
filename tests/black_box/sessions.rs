//! The list of sessions, and closing them.

use journeys::sentences::{INVALID_PARAMETERS, LOGGED_OUT, NO_SESSION, assert_says};
use journeys::{PASSWORD, Service, Visitor, paths};
use serde_json::{Value, json};

const FIREFOX: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0";

/// An account with two devices.
async fn two_devices() -> (Visitor, Visitor) {
    let ana = Service::shared().visitor().signed_in().await;
    let phone = ana.on_another_device().await;
    (ana, phone)
}

#[tokio::test]
async fn the_list_names_every_session_by_its_browser_and_marks_the_callers() {
    let mut ana = Service::shared().visitor().registered().await;
    let fields = [("email", ana.email.as_str()), ("password", PASSWORD)];
    let login = ana.request(paths::LOGIN).header("user-agent", FIREFOX).form(&fields);
    ana.send(login).await;
    let mut phone = ana.on_another_device().await;
    let sessions = ana.sessions().await;
    assert_eq!(sessions.len(), 2, "{sessions:?}");
    let own: Vec<_> = sessions.iter().filter(|session| session["current"] == true).collect();
    assert_eq!(own.len(), 1, "{sessions:?}");
    assert_eq!(own[0]["browser"], "Firefox en Windows");
    let own_of_phone: Vec<_> =
        phone.sessions().await.into_iter().filter(|session| session["current"] == true).collect();
    assert_ne!(own_of_phone[0]["id"], own[0]["id"]);
    assert_eq!(own_of_phone[0]["browser"], "Navegador desconocido");
}

#[tokio::test]
async fn the_list_holds_nothing_that_opens_a_session() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let cookie = ana.cookie.clone().unwrap();
    let secret = cookie.rsplit('.').next().unwrap();
    let answer = ana.form(paths::LIST_SESSIONS, &[]).await;
    assert!(!answer.text.contains(secret) && !answer.text.contains(&ana.email), "{answer:?}");
    let names: Vec<_> = answer.json()["sessions"][0].as_object().unwrap().keys().cloned().collect();
    assert_eq!(names, ["id", "created_at", "last_seen_at", "browser", "current"]);
}

#[tokio::test]
async fn the_list_says_whether_the_address_is_verified_and_whether_there_is_a_password() {
    let told = async |visitor: &mut Visitor| {
        let answer = visitor.form(paths::LIST_SESSIONS, &[]).await.json();
        (answer["email_verified"].clone(), answer["has_password"].clone())
    };
    let mut ana = Service::shared().visitor().signed_in().await;
    assert_eq!(told(&mut ana).await, (false.into(), true.into()));
    ana.form(paths::SEND_VERIFICATION, &[]).await;
    let token = ana.newest_token().await;
    ana.verify(&token).await;
    assert_eq!(told(&mut ana).await, (true.into(), true.into()));
    let mut eva = Service::shared().visitor();
    eva.google(json!({})).await;
    assert_eq!(told(&mut eva).await, (true.into(), false.into()));
}

#[tokio::test]
async fn a_closed_session_is_dead_and_the_others_live() {
    let (mut ana, mut phone) = two_devices().await;
    let ids = ana.other_sessions().await;
    let answer = ana.form(paths::CLOSE_SESSION, &[("id", &ids[0])]).await;
    assert_says(&answer, LOGGED_OUT, "closed");
    assert_eq!(answer.header("set-cookie"), "");
    assert_says(&phone.session().await, NO_SESSION, "the closed one");
    assert_eq!(ana.session().await.status, 200);
    assert_eq!(ana.sessions().await.len(), 1);
    assert_says(&ana.form(paths::CLOSE_SESSION, &[("id", &ids[0])]).await, INVALID_PARAMETERS, "a second click");
}

#[tokio::test]
async fn whoever_closes_their_own_session_is_signed_out() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let id = ana.sessions().await[0]["id"].as_str().unwrap().to_owned();
    let answer = ana.form(paths::CLOSE_SESSION, &[("id", &id)]).await;
    assert_says(&answer, LOGGED_OUT, "closed");
    assert!(answer.ended(), "{answer:?}");
}

#[tokio::test]
async fn closing_all_others_leaves_the_caller_alone_with_a_new_cookie() {
    let (mut ana, mut phone) = two_devices().await;
    let mut stolen = ana.clone();
    let answer = ana.form(paths::CLOSE_SESSION, &[("others", "on")]).await;
    assert_says(&answer, LOGGED_OUT, "closed");
    assert!(answer.opened().is_some(), "{answer:?}");
    assert_eq!(ana.session().await.status, 200);
    assert_says(&phone.session().await, NO_SESSION, "the other device");
    assert_says(&stolen.session().await, NO_SESSION, "a copy of the earlier cookie");
    let left = ana.sessions().await;
    assert_eq!((left.len(), &left[0]["current"]), (1, &Value::Bool(true)), "{left:?}");
}

#[tokio::test]
async fn a_session_of_another_account_cannot_be_closed() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let mut eva = Service::shared().visitor().signed_in().await;
    let id = eva.sessions().await[0]["id"].as_str().unwrap().to_owned();
    assert_says(&ana.form(paths::CLOSE_SESSION, &[("id", &id)]).await, INVALID_PARAMETERS, "of eva");
    assert_eq!(eva.session().await.status, 200);
}

#[tokio::test]
async fn an_ambiguous_or_invalid_choice_of_session_ends_nothing() {
    let (mut ana, mut phone) = two_devices().await;
    let ids = ana.other_sessions().await;
    let (id, short) = (ids[0].as_str(), &ids[0][..11]);
    for fields in [
        &[][..],
        &[("id", "")],
        &[("others", "")],
        &[("others", "yes")],
        &[("id", short)],
        &[("id", "............")],
        &[("id", "ñññññññññññ")],
        &[("id", id), ("others", "on")],
    ] {
        assert_says(&ana.form(paths::CLOSE_SESSION, fields).await, INVALID_PARAMETERS, fields);
    }
    assert_eq!((phone.session().await.status, ana.session().await.status), (200, 200));
}
