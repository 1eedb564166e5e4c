//! What an audit line says about the caller, so that an owner who did not do it can find out who did.

use journeys::{Embedded, PASSWORD, Visitor, paths};
use serde_json::json;

use super::audit::lines;

const FIREFOX: &str = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0";

/// The id of the session that a visitor has.
async fn current(ana: &mut Visitor) -> String {
    let sessions = ana.sessions().await;
    let current = sessions.iter().find(|session| session["current"] == true).unwrap();
    current["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_event_names_the_address_the_browser_the_session_and_the_passkey_that_it_came_from() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let last = || lines(&stack).pop().unwrap();
    let first = current(&mut ana).await;
    let login = last();
    assert_eq!((&login["client.address"], &login["session.id"]), (&json!("127.0.0.1"), &json!(first)));

    let mut thief = ana.elsewhere();
    let fields = [("email", ana.email.as_str()), ("password", PASSWORD)];
    let request = thief.request(paths::LOGIN).header("user-agent", FIREFOX).form(&fields);
    thief.send(request.header("x-forwarded-for", "not an address, 203.0.113.9")).await;
    let (stolen, login) = (current(&mut thief).await, last());
    assert_eq!((&login["client.forwarded"], &login["session.id"]), (&json!("203.0.113.9"), &json!(stolen)));
    assert_eq!(login["client.browser"], "Firefox en Windows");
    assert!(!login.to_string().contains("Gecko") && !login.to_string().contains("not an address"), "{login}");

    let mut authenticator = thief.with_passkey().await;
    let (passkey, created) = (thief.first_passkey().await, last());
    assert_eq!((&created["session.id"], &created["passkey.id"]), (&json!(stolen), &json!(passkey)));
    let mut device = stack.service.visitor();
    device.passkey_login(&mut authenticator).await;
    let (by_passkey, login) = (current(&mut device).await, last());
    assert_eq!((&login["session.id"], &login["passkey.id"]), (&json!(by_passkey), &json!(passkey)));

    ana.form(paths::CLOSE_SESSION, &[("id", &stolen)]).await;
    let closed = last();
    assert_eq!((&closed["session.id"], &closed["session.other"]), (&json!(first), &json!(stolen)));
    // Whoever follows a session finds the one that replaced it.
    ana.delete_passkey(&passkey).await;
    let (replaced, removed) = (current(&mut ana).await, last());
    assert_eq!((&removed["session.id"], &removed["session.other"]), (&json!(first), &json!(replaced)));
    assert_eq!(removed["passkey.id"], passkey);
    ana.form(paths::LOGOUT, &[]).await;
    assert_eq!(last()["session.id"], replaced);
    ana.login("Otra1234").await;
    let failed = last();
    assert_eq!((&failed["client.address"], failed.get("session.id")), (&json!("127.0.0.1"), None));
}
