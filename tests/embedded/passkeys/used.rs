//! The everyday use of passkeys, also of those that a browser creates without a question, right after a login.

use std::time::Duration;

use journeys::authenticator::{ALGORITHMS, AT, Algorithm, BE, BS, UP, UV, encoded};
use journeys::sentences::{
    INVALID_PARAMETERS, INVALID_PASSKEY, LOGGED_IN, PASSKEY_CREATED, PASSKEY_REFUSED, PASSKEY_REMOVED, UNPROVED,
    assert_says,
};
use journeys::{Embedded, Visitor, paths};
use serde_json::{Value, json};

use super::{passkey_items, start, with_passkey};

#[tokio::test]
async fn the_options_of_logins_differ_only_in_the_challenge() {
    let (stack, mut ana, _) = start(&[]).await;
    let mut seen = Vec::new();
    for visitor in [&mut ana, &mut stack.service.visitor(), &mut stack.service.visitor()] {
        let answer = visitor.form(paths::PASSKEY_LOGIN_OPTIONS, &[("email", "ana@example.com")]).await;
        let challenge = answer.json()["publicKey"]["challenge"].as_str().unwrap().to_owned();
        assert_eq!(answer.set_cookies().len(), 0);
        let mut headers = answer.headers;
        for of_the_request in ["apigw-requestid", "date"] {
            headers.remove(of_the_request);
        }
        seen.push((answer.text.replace(&challenge, ""), challenge, headers));
    }
    assert!(seen.iter().all(|(text, _, headers)| (text, headers) == (&seen[0].0, &seen[0].2)), "{seen:?}");
    assert!(seen[0].1 != seen[1].1 && seen[1].1 != seen[2].1, "{seen:?}");
    insta::assert_snapshot!(seen[0].0, @r#"{"success":true,"publicKey":{"challenge":"","timeout":300000,"rpId":"localhost","allowCredentials":[],"userVerification":"required","hints":[],"extensions":{}}}"#);
}

#[tokio::test]
async fn the_options_of_a_new_passkey_exclude_existing_passkeys_and_have_one_random_handle_from_the_first_on() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let before = ana.passkey_options().await;
    assert_eq!(before["publicKey"]["excludeCredentials"], json!([]));
    let handle = |options: &Value| options["publicKey"]["user"]["id"].clone();
    assert_eq!(handle(&ana.passkey_options().await), handle(&before), "a second attempt");
    let mut phone = ana.on_another_device().await;
    assert_eq!(handle(&phone.passkey_options().await), handle(&before), "another session");
    let mut eva = stack.service.visitor().signed_in().await;
    let (one, mut other) = (eva.clone(), eva.clone());
    let (one, other) = tokio::join!(async { one.clone().passkey_options().await }, other.passkey_options());
    assert_eq!(handle(&one), handle(&other), "two at once");
    assert_eq!(handle(&eva.passkey_options().await), handle(&one));
    assert_ne!(handle(&one), handle(&before), "the handle is random");
    let authenticator = ana.with_passkey().await;
    let options = ana.passkey_options().await;
    let id = encoded(&authenticator.id);
    let excluded = json!([{"type": "public-key", "id": id, "transports": ["hybrid", "internal"]}]);
    assert_eq!(options["publicKey"]["excludeCredentials"], excluded);
    assert_eq!(options["publicKey"]["user"]["name"], ana.email);
    assert_eq!(options["publicKey"]["user"]["displayName"], "Ana García");
    assert_eq!(options["publicKey"]["user"]["id"], encoded(&authenticator.user));
    let mut public = options["publicKey"].clone();
    for member in ["challenge", "excludeCredentials", "user"] {
        public.as_object_mut().unwrap().remove(member);
    }
    insta::assert_snapshot!(public, @r#"{"rp":{"name":"localhost","id":"localhost"},"attestation":"none","extensions":{},"pubKeyCredParams":[{"type":"public-key","alg":-8},{"type":"public-key","alg":-7},{"type":"public-key","alg":-257}],"timeout":300000,"attestationFormats":["none"],"authenticatorSelection":{"residentKey":"required","requireResidentKey":true,"userVerification":"required"},"hints":[]}"#);
}

#[tokio::test]
async fn the_list_shows_name_and_last_use_until_the_removal() {
    let (stack, mut ana, mut authenticator) = start(&[]).await;
    let listed = ana.passkeys().await;
    assert_eq!(listed.len(), 1);
    assert_eq!((&listed[0]["name"], &listed[0]["last_used_at"]), (&json!("Mi portátil"), &Value::Null));
    stack.advance(Duration::from_mins(1));
    assert_says(&stack.service.visitor().passkey_login(&mut authenticator).await, LOGGED_IN, "login");
    let used = ana.passkeys().await;
    assert!(used[0]["last_used_at"].as_str() > used[0]["created_at"].as_str(), "{used:?}");

    let id = listed[0]["id"].as_str().unwrap();
    assert_says(&ana.delete_passkey(id).await, PASSKEY_REMOVED, "removal");
    assert_eq!(ana.passkeys().await, Vec::<Value>::new());
    assert_says(&ana.delete_passkey(id).await, INVALID_PARAMETERS, "again");
    assert_says(&stack.service.visitor().passkey_login(&mut authenticator).await, INVALID_PASSKEY, "removed");
    assert_eq!(passkey_items(&stack).await, 0, "the row or the pointer is left");
}

#[tokio::test]
async fn nobody_removes_the_passkey_of_another_person() {
    let (stack, mut ana, mut authenticator) = start(&[]).await;
    let (mut eva, _) = with_passkey(&stack).await;
    let id = ana.first_passkey().await;
    assert_says(&eva.delete_passkey(&id).await, INVALID_PARAMETERS, "eva");
    assert_says(&stack.service.visitor().passkey_login(&mut authenticator).await, LOGGED_IN, "ana");
}

#[tokio::test]
async fn a_passkey_may_be_backed_up_later() {
    let (_stack, mut ana) = Embedded::signed_in(&[]).await;
    let mut authenticator = ana.authenticator(ALGORITHMS[0]).await;
    let mut creation = authenticator.create(&ana.passkey_options().await);
    creation.data.flags |= BE;
    assert_says(&ana.register_passkey(&creation.json()).await, PASSKEY_CREATED, "eligible");
    for flags in [BE | BS, BE] {
        let mut answer = authenticator.get(&ana.passkey_login_options().await);
        answer.data.flags |= flags;
        assert_says(&ana.elsewhere().answer_passkey(&authenticator.sign(&answer)).await, LOGGED_IN, "login");
    }
    let answer = authenticator.get(&ana.passkey_login_options().await);
    assert_says(&ana.elsewhere().answer_passkey(&authenticator.sign(&answer)).await, INVALID_PASSKEY, "not eligible");
}

#[tokio::test]
async fn a_login_with_a_passkey_makes_its_browser_known() {
    let (stack, _, mut authenticator) = start(&[("NOTICES", "on")]).await;
    let mut phone = stack.service.visitor();
    assert_says(&phone.passkey_login(&mut authenticator).await, LOGGED_IN, "login");
    assert!(phone.browser.is_some());
    let known = phone.browser.clone();
    assert_says(&phone.passkey_login(&mut authenticator).await, LOGGED_IN, "again");
    assert_eq!(phone.browser, known);
}

#[tokio::test]
async fn the_list_has_what_a_browser_needs_to_know_which_passkeys_it_can_still_offer() {
    let (_stack, mut ana) = Embedded::signed_in(&[]).await;
    let list = async |ana: &mut Visitor| ana.form(paths::LIST_PASSKEYS, &[]).await.json();
    let none = list(&mut ana).await;
    assert_eq!(none, json!({"success": true, "passkeys": [], "user_handle": null, "rp_id": "localhost"}));
    let handle = ana.passkey_options().await["publicKey"]["user"]["id"].clone();
    let mut expected: Vec<Value> = Vec::new();
    for _ in 0..2 {
        let authenticator = ana.with_passkey().await;
        assert_eq!(encoded(&authenticator.user), handle);
        expected.push(json!(encoded(&authenticator.id)));
    }
    let listed = list(&mut ana).await;
    let credentials: Vec<Value> =
        listed["passkeys"].as_array().unwrap().iter().map(|passkey| passkey["credential"].clone()).collect();
    assert!(credentials.len() == 2 && expected.iter().all(|id| credentials.contains(id)), "{listed}");
    assert_eq!(listed["user_handle"], handle);
    for passkey in listed["passkeys"].as_array().unwrap() {
        ana.delete_passkey(passkey["id"].as_str().unwrap()).await;
    }
    let left = list(&mut ana).await;
    assert_eq!(left, json!({"success": true, "passkeys": [], "user_handle": handle, "rp_id": "localhost"}));
}

const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

#[tokio::test]
async fn only_a_silent_creation_needs_no_user_who_is_present_or_verified() {
    let stack = Embedded::start(&[]).await;
    for flags in [AT, UP | AT, UV | AT, UP | UV | AT] {
        let mut ana = stack.service.visitor().signed_in().await;
        let mut authenticator = ana.authenticator(Algorithm::Es256).await;
        let asked = ana.passkey_options().await;
        assert_eq!(asked["publicKey"]["authenticatorSelection"]["userVerification"], "required");
        let mut answer = authenticator.create(&asked);
        answer.data.flags = flags;
        let expected = if flags == UP | UV | AT { PASSKEY_CREATED } else { PASSKEY_REFUSED };
        assert_says(&ana.register_passkey(&answer.json()).await, expected, format!("asked, {flags}"));

        let mut authenticator = ana.authenticator(Algorithm::Es256).await;
        let silent = ana.silent_passkey_options().await;
        assert_eq!(silent["publicKey"]["authenticatorSelection"]["userVerification"], "preferred");
        assert_eq!(silent["publicKey"]["authenticatorSelection"]["residentKey"], "required");
        let mut answer = authenticator.create(&silent);
        answer.data.flags = flags;
        assert_says(&ana.register_passkey(&answer.json()).await, PASSKEY_CREATED, format!("silent, {flags}"));
    }
}

#[tokio::test]
async fn a_login_with_a_silent_passkey_still_needs_a_user_who_is_present_and_verified() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let mut authenticator = ana.authenticator(Algorithm::Es256).await;
    let mut answer = authenticator.create(&ana.silent_passkey_options().await);
    answer.data.flags = AT;
    assert_says(&ana.register_passkey(&answer.json()).await, PASSKEY_CREATED, "created");
    let mut device = stack.service.visitor();
    for flags in [0, UP, UV] {
        let mut answer = authenticator.get(&device.passkey_login_options().await);
        answer.data.flags = flags;
        assert_says(&device.answer_passkey(&authenticator.sign(&answer)).await, INVALID_PASSKEY, flags);
    }
    assert_says(&device.passkey_login(&mut authenticator).await, LOGGED_IN, "present and verified");
}

#[tokio::test]
async fn a_silent_creation_needs_a_recent_proof_and_its_owner_is_notified() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let mut authenticator = ana.authenticator(Algorithm::Es256).await;
    let wrong = ana.form(paths::PASSKEY_REGISTER_OPTIONS, &[("silent", "yes")]).await;
    assert_says(&wrong, INVALID_PARAMETERS, "another word");
    let mut answer = authenticator.create(&ana.silent_passkey_options().await);
    answer.data.flags = AT;
    assert_says(&ana.register_passkey(&answer.json()).await, PASSKEY_CREATED, "after a login");
    assert!(stack.deliver_changes().await);
    ana.first_letter("Tu cuenta tiene una llave de acceso nueva").await;
    stack.advance(Duration::from_secs(901));
    let late = ana.form(paths::PASSKEY_REGISTER_OPTIONS, &[("silent", "on")]).await;
    assert_says(&late, UNPROVED, "later");
}

#[tokio::test]
async fn a_passkey_without_a_name_has_that_of_its_browser() {
    let (_stack, mut ana) = Embedded::signed_in(&[]).await;
    let mut authenticator = ana.authenticator(Algorithm::Es256).await;
    let credential = authenticator.create(&ana.silent_passkey_options().await).json();
    let body = json!({"credential": credential}).to_string();
    let request = ana.request(paths::PASSKEY_REGISTER).header("user-agent", FIREFOX);
    let created = ana.send(request.header("content-type", "application/json").body(body)).await;
    assert_says(&created, PASSKEY_CREATED, "created");
    assert_eq!(ana.passkeys().await[0]["name"], "Firefox en Linux");
}
