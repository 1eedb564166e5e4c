//! The audit lines: each security event is logged once, with the account's id if it is known, and only if it happened.

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::join_all;
use journeys::requests::event;
use journeys::{Embedded, Failure, PASSWORD, Visitor, paths, rows};
use serde_json::{Value, json};
use shared::store::operator::{Action, Operator, Profile};

use crate::concurrency::held_up;
use crate::functions;

/// A password that differs from [`PASSWORD`].
const OTHER: &str = "Otra1234";

/// An audit line's event, with its reason if it has one, and the account's id.
type Told = (String, Option<u64>);

/// All audit lines so far.
pub(crate) fn lines(stack: &Embedded) -> Vec<Value> {
    let lines = stack.log().into_iter().map(|line| serde_json::from_str(&line).unwrap());
    lines.filter(|line: &Value| line.get("audit.event").is_some()).collect()
}

/// The audit lines since the last time.
struct Trail<'a> {
    stack: &'a Embedded,
    read: usize,
}

impl<'a> Trail<'a> {
    fn of(stack: &'a Embedded) -> Self {
        Self { stack, read: lines(stack).len() }
    }

    fn next(&mut self) -> Vec<Told> {
        let lines = lines(self.stack).split_off(self.read);
        self.read += lines.len();
        let name = |line: &Value| match line.get("audit.reason") {
            Some(reason) => format!("{} {}", line["audit.event"].as_str().unwrap(), reason.as_str().unwrap()),
            None => line["audit.event"].as_str().unwrap().to_owned(),
        };
        lines.iter().map(|line| (name(line), line["account.id"].as_u64())).collect()
    }
}

fn of<const N: usize>(id: u64, events: [&str; N]) -> Vec<Told> {
    events.map(|event| (event.to_owned(), Some(id))).into()
}

fn of_nobody(event: &str) -> Vec<Told> {
    vec![(event.to_owned(), None)]
}

async fn id(ana: &Visitor) -> u64 {
    ana.clone().session().await.user("id").as_u64().unwrap()
}

#[tokio::test]
async fn the_events_of_a_whole_journey_are_logged_once_with_the_account_if_it_is_known() {
    let stack = Embedded::start(&[]).await;
    let mut trail = Trail::of(&stack);
    let mut ana = stack.service.visitor();
    let email = ana.email.clone();
    ana.register().await;
    let registered = trail.next();
    ana.login(OTHER).await;
    let failed = trail.next();
    ana.login(PASSWORD).await;
    let id = id(&ana).await;
    assert_eq!(registered, of(id, ["account-registered"]));
    assert_eq!(failed, of(id, ["login-failed wrong-credentials"]));
    assert_eq!(trail.next(), of(id, ["login-succeeded"]));

    ana.form(paths::USER_CONFIG, &[("name", "Ana")]).await;
    assert_eq!(trail.next(), []);
    ana.set_password(OTHER).await;
    assert_eq!(trail.next(), of(id, ["password-changed"]));
    let token = ana.reset_token().await;
    assert_eq!(trail.next(), of(id, ["password-reset-requested"]));
    ana.reset(&token, PASSWORD).await;
    assert_eq!(trail.next(), of(id, ["password-reset"]));
    for dead in [&*token, "no.token"] {
        ana.reset(dead, OTHER).await;
        assert_eq!(trail.next(), of_nobody("password-reset-failed"), "{dead}");
    }

    // The reset has verified the address, so linking the identity removes no credentials.
    ana.google(json!({})).await;
    assert_eq!(trail.next(), of(id, ["identity-linked", "login-succeeded"]));
    assert_eq!(ana.google_page(json!({})).await.status, 303);
    assert_eq!(trail.next(), of(id, ["login-succeeded"]));
    ana.elsewhere().json(paths::GOOGLE_LOGIN, json!({"credential": "forged"}).to_string()).await;
    assert_eq!(trail.next(), of_nobody("login-failed invalid-credential"));
    assert_eq!(ana.google_page(json!({"aud": "another-client"})).await.status, 303);
    assert_eq!(trail.next(), of_nobody("login-failed invalid-credential"));

    ana.form(paths::LOGOUT, &[]).await;
    assert_eq!(trail.next(), of(id, ["logged-out"]));
    ana.login(PASSWORD).await;
    ana.json(paths::RECEIVE_DATA, json!({"of": email}).to_string()).await;
    assert_eq!(trail.next(), of(id, ["login-succeeded"]));
    ana.form(paths::EXPORT_ACCOUNT, &[]).await;
    assert_eq!(trail.next(), of(id, ["account-exported"]));
    ana.form(paths::EXPORT_ACCOUNT, &[("cursor", "x")]).await;
    assert_eq!(trail.next(), []);
    ana.form(paths::DELETE_ACCOUNT, &[]).await;
    assert_eq!(trail.next(), of(id, ["account-deleted"]));
}

#[tokio::test]
async fn a_failed_login_names_the_account_only_where_there_is_one() {
    let stack = Embedded::start(&[("LOGIN_MAX_FAILURES", "1")]).await;
    let (mut ana, mut nobody) = (stack.service.visitor().signed_in().await, stack.service.visitor());
    let (id, mut trail) = (id(&ana).await, Trail::of(&stack));
    for reason in ["wrong-credentials", "too-many-failures", "too-many-failures"] {
        let event = format!("login-failed {reason}");
        ana.login(if reason == "wrong-credentials" { OTHER } else { PASSWORD }).await;
        assert_eq!(trail.next(), of(id, [&event]));
        nobody.login(PASSWORD).await;
        assert_eq!(trail.next(), of_nobody(&event));
    }
}

#[tokio::test]
async fn a_login_during_which_the_account_is_disabled_names_that_reason() {
    let (stack, mut ana) = Embedded::signed_in(&[("NOTICES", "on")]).await;
    let (id, mut phone) = (id(&ana).await, ana.elsewhere());
    let mut trail = Trail::of(&stack);
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    let account = Profile::read(profile).unwrap();
    let operator = Operator::new(&stack.setup(&[]));
    let disabling = async { assert!(operator.act(&account, Action::Disable(stack.now())).await.unwrap()) };
    let answer = held_up(&stack, 1, phone.login(PASSWORD), Box::pin(disabling)).await;
    assert_eq!(answer.success(), false, "{answer:?}");
    assert_eq!(trail.next(), of(id, ["login-failed account-disabled"]));
    assert_eq!(ana.session().await.status, 401);
}

#[tokio::test]
async fn a_refused_login_to_a_disabled_account_names_that_reason() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let id = id(&ana).await;
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    rows::put(&stack, rows::with(&profile, "disabled_at", Some(AttributeValue::N("1".to_owned())))).await;
    let mut trail = Trail::of(&stack);
    for password in [PASSWORD, OTHER] {
        ana.login(password).await;
        assert_eq!(trail.next(), of(id, ["login-failed account-disabled"]));
    }
    ana.google(json!({})).await;
    assert_eq!(trail.next(), of(id, ["login-failed account-disabled"]));
}

#[tokio::test]
async fn a_first_login_and_a_link_that_removes_the_password_are_different_events() {
    let stack = Embedded::start(&[]).await;
    let mut trail = Trail::of(&stack);
    let mut newcomer = stack.service.visitor();
    newcomer.google(json!({})).await;
    assert_eq!(trail.next(), of(id(&newcomer).await, ["account-registered", "login-succeeded"]));
    let mut ana = stack.service.visitor().signed_in().await;
    trail.next();
    ana.google(json!({"sub": "110"})).await;
    let id = id(&ana).await;
    assert_eq!(trail.next(), of(id, ["identity-linked", "credentials-revoked", "login-succeeded"]));
    ana.google(json!({"sub": "220"})).await;
    assert_eq!(trail.next(), of(id, ["identity-linked", "credentials-revoked", "login-succeeded"]));
}

#[tokio::test]
async fn a_call_that_is_refused_early_or_ends_no_session_logs_no_event() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let mut trail = Trail::of(&stack);
    let email = ana.email.clone();
    let mut nobody = stack.service.visitor();
    assert_eq!(ana.register().await.success(), false);
    assert_eq!(ana.elsewhere().login("weak").await.success(), false);
    assert_eq!(ana.form(paths::LOGIN, &[("email", "no address"), ("password", PASSWORD)]).await.success(), false);
    assert_eq!(ana.set_password("weak").await.status, 200);
    assert_eq!(ana.reset("no.token", "weak").await.success(), false);
    assert_eq!(nobody.form(paths::SEND_RESET_LINK, &[("email", "nadie@example.com")]).await.success(), false);
    assert_eq!(nobody.form(paths::DELETE_ACCOUNT, &[]).await.success(), false);
    assert_eq!(nobody.set_password(OTHER).await.status, 401);
    assert_eq!(nobody.form(paths::LOGOUT, &[]).await.success(), true);
    nobody.cookie = Some(format!("session={}.{}", rows::partition_key(&email), "A".repeat(43)));
    assert_eq!(nobody.form(paths::LOGOUT, &[]).await.success(), true);
    assert_eq!(trail.next(), []);
}

#[tokio::test]
async fn an_event_that_the_table_has_not_confirmed_is_not_logged() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let (token, email) = (ana.reset_token().await, ana.email.clone());
    let document = json!({"credential": ana.credential(json!({})).await}).to_string();
    let broken = Failure::Answer(400, json!({"__type": "x#ValidationException"}).to_string());
    let mut trail = Trail::of(&stack);
    // The last of the endpoint's calls to the table fails.
    for (path, calls) in [
        (paths::REGISTER, 1),
        (paths::LOGIN, 2),
        (paths::GOOGLE_LOGIN, 2),
        (paths::LOGOUT, 1),
        (paths::USER_CONFIG, 2),
        (paths::SEND_RESET_LINK, 2),
        (paths::RESET_PASSWORD, 1),
        (paths::DELETE_ACCOUNT, 2),
    ] {
        drop(stack.table.calls());
        stack.table.fail_from(calls - 1, broken.clone());
        let status = match path {
            paths::REGISTER => stack.service.visitor().register().await.status,
            paths::LOGIN => ana.elsewhere().login(PASSWORD).await.status,
            paths::GOOGLE_LOGIN => ana.elsewhere().json(path, document.clone()).await.status,
            paths::USER_CONFIG => ana.set_password(OTHER).await.status,
            paths::RESET_PASSWORD => ana.reset(&token, OTHER).await.status,
            _ => ana.form(path, &[("email", &email)]).await.status,
        };
        stack.table.heal();
        assert_eq!((status, stack.table.calls().len()), (500, calls), "{path}");
        assert_eq!(trail.next(), [], "{path}");
    }
}

#[tokio::test]
async fn an_event_is_logged_even_if_the_call_fails_later() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let (id, email) = (id(&ana).await, ana.email.clone());
    let mut trail = Trail::of(&stack);
    stack.mail.fail_always(Failure::Error);
    assert_eq!(ana.form(paths::SEND_RESET_LINK, &[("email", &email)]).await.status, 500);
    assert_eq!(trail.next(), of(id, ["password-reset-requested"]));
}

#[tokio::test]
async fn an_event_with_a_lost_answer_is_logged_once() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor();
    let mut trail = Trail::of(&stack);
    stack.table.fail_first_attempts(Failure::DropAfter);
    ana.register().await;
    ana.login(PASSWORD).await;
    let id = id(&ana).await;
    assert_eq!(trail.next(), of(id, ["account-registered", "login-succeeded"]));
    ana.set_password(OTHER).await;
    ana.reset_to(PASSWORD).await;
    assert_eq!(trail.next(), of(id, ["password-changed", "password-reset-requested", "password-reset"]));
    ana.google(json!({})).await;
    ana.form(paths::DELETE_ACCOUNT, &[]).await;
    assert_eq!(trail.next(), of(id, ["identity-linked", "login-succeeded", "account-deleted"]));
}

#[tokio::test]
async fn parallel_calls_log_each_event_as_often_as_it_happens() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    let (id, mut trail) = (id(&ana).await, Trail::of(&stack));
    join_all((0..16).map(async |_| ana.clone().form(paths::LOGOUT, &[]).await)).await;
    assert_eq!(trail.next(), of(id, ["logged-out"]));
    let ana = ana.on_another_device().await;
    trail.next();
    let mut devices = vec![ana.clone(); 16];
    let deletions = devices.iter_mut().map(|device| device.form(paths::DELETE_ACCOUNT, &[]));
    let answers = join_all(deletions).await;
    assert!(answers.iter().any(|answer| answer.success() == true));
    assert_eq!(trail.next(), of(id, ["account-deleted"]));
}

#[tokio::test]
async fn an_audit_line_has_the_request_id_of_its_call_and_no_metrics() {
    let (stack, ana) = Embedded::registered(&[]).await;
    let read = lines(&stack).len();
    let body = format!("email={}&password={OTHER}", ana.email.replace('@', "%40"));
    for hostile in ["r-1", "a\r\n{\"audit.event\":\"forged\"}\u{1b}[31m\u{2028}\u{0}", ""] {
        let functions = functions::all(&stack, &[("AWS_LAMBDA_FUNCTION_NAME", "accounts-login")]);
        let login = functions.iter().find(|function| function.path == paths::LOGIN).unwrap();
        let mut event = event(paths::LOGIN, "application/x-www-form-urlencoded", &body);
        event["requestContext"]["requestId"] = json!(hostile);
        let before = stack.log().len();
        login.invoke(&event.to_string()).await;
        let written = stack.log().split_off(before);
        assert!(written.iter().all(|line| line.chars().all(|c| !c.is_control())), "{written:?}");
        let [audit, call] = written.as_slice() else { panic!("{written:?}") };
        let [audit, call] = [audit, call].map(|line| serde_json::from_str::<Value>(line).unwrap());
        assert_eq!((&audit["request.id"], &call["request.id"]), (&json!(hostile), &json!(hostile)));
        assert!(call.get("_aws").is_some(), "{call}");
        let names: Vec<_> = audit.as_object().unwrap().keys().collect();
        let expected = ["timestamp", "level", "function", "request.id", "audit.event", "audit.reason", "account.id"];
        assert_eq!(names, [&expected[..], &["client.address", "client.browser"]].concat());
        assert_eq!((&audit["level"], &audit["function"]), (&json!("INFO"), &json!("login")));
        assert!(audit["timestamp"].as_str().unwrap().starts_with("20"), "{audit}");
    }
    assert_eq!(lines(&stack).len(), read + 3);
}

#[tokio::test]
async fn without_audit_lines_each_call_still_has_its_line() {
    let (stack, mut ana) = Embedded::signed_in(&[("AUDIT_LOG", "false")]).await;
    ana.login(OTHER).await;
    ana.form(paths::DELETE_ACCOUNT, &[]).await;
    assert_eq!(lines(&stack), Vec::<Value>::new());
    let log = stack.log().into_iter().map(|line| serde_json::from_str::<Value>(&line).unwrap());
    let calls: Vec<_> = log.map(|line| (line["function"].clone(), line["http.status"].clone())).collect();
    let expected = ["register", "login", "login", "delete-account"].map(|function| (json!(function), json!(200)));
    assert_eq!(calls, expected);
}

#[tokio::test]
async fn the_events_of_sessions_and_of_a_verification_are_recorded_with_the_account() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let id = id(&ana).await;
    ana.elsewhere().login(PASSWORD).await;
    let other = ana.other_sessions().await.remove(0);
    let mut trail = Trail::of(&stack);
    ana.form(paths::CLOSE_SESSION, &[("id", &other)]).await;
    assert_eq!(trail.next(), of(id, ["session-ended"]));
    ana.form(paths::CLOSE_SESSION, &[("others", "on")]).await;
    assert_eq!(trail.next(), of(id, ["sessions-ended"]));
    ana.form(paths::SEND_VERIFICATION, &[]).await;
    assert_eq!(trail.next(), of(id, ["verification-requested"]));
    let token = ana.newest_token().await;
    ana.verify(&token).await;
    assert_eq!(trail.next(), of(id, ["email-verified"]));
}

#[tokio::test]
async fn the_removal_of_a_link_to_google_is_recorded_whether_it_succeeds_or_not() {
    let stack = Embedded::start(&[]).await;
    let mut ana = stack.service.visitor();
    ana.google(json!({})).await;
    let (id, mut trail) = (id(&ana).await, Trail::of(&stack));
    ana.form(paths::UNLINK_GOOGLE, &[]).await;
    assert_eq!(trail.next(), of(id, ["identity-unlinking-failed"]));
    drop(ana.with_passkey().await);
    assert_eq!(trail.next(), of(id, ["passkey-created"]));
    for event in ["identity-unlinked", "identity-unlinking-failed"] {
        ana.form(paths::UNLINK_GOOGLE, &[]).await;
        assert_eq!(trail.next(), of(id, [event]));
    }
}

#[tokio::test]
async fn the_events_of_a_passkey_are_recorded_with_the_account_if_it_is_known() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let (id, mut trail) = (id(&ana).await, Trail::of(&stack));
    let mut authenticator = ana.with_passkey().await;
    assert_eq!(trail.next(), of(id, ["passkey-created"]));
    let mut device = stack.service.visitor();
    assert_eq!(device.passkey_login(&mut authenticator).await.success(), true);
    assert_eq!(trail.next(), of(id, ["login-succeeded"]));
    let mut answer = authenticator.get(&device.passkey_login_options().await);
    answer.data.rp_id = "evil.example".to_owned();
    device.answer_passkey(&authenticator.sign(&answer)).await;
    assert_eq!(trail.next(), of(id, ["login-failed invalid-passkey"]));
    device.answer_passkey(&json!({})).await;
    assert_eq!(trail.next(), of_nobody("login-failed invalid-passkey"));
    let passkey = ana.first_passkey().await;
    ana.delete_passkey(&passkey).await;
    assert_eq!(trail.next(), of(id, ["passkey-removed"]));
}
