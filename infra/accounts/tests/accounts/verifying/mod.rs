//! `accounts verify-log`: the lines of generated traffic fit together, and what is removed, doubled or forged is found,
//! except for what the page says that nothing shows.

mod forged;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use journeys::requests::{Actor, requests};
use journeys::{Embedded, Folder, PASSWORD, Visitor, paths};
use serde_json::{Value, json};

use crate::operating::recording;
use crate::support::{accounts, text};
use crate::{Ended, run};

/// A reproducible choice (xorshift64*).
struct Choices(u64);

impl Choices {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % end
    }
}

/// Runs the command with the lines of a file.
async fn verify(lines: &[Value]) -> Ended {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let folder = Folder::new(&format!("verify-log-{}", RUNS.fetch_add(1, Ordering::Relaxed)));
    std::fs::create_dir_all(&folder.0).unwrap();
    let path = folder.0.join("lines.ndjson");
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    std::fs::write(&path, text.join("\n")).unwrap();
    run(vec![], &["--json", "verify-log", "--file", path.to_str().unwrap()]).await
}

/// The findings about lines, each as what is wrong and the event.
async fn findings(lines: &[Value]) -> Vec<(String, String)> {
    let ended = verify(lines).await;
    let found: Vec<_> = ended.lines().iter().map(|line| (text(line, "finding"), text(line, "audit.event"))).collect();
    assert_eq!(ended.code, if found.is_empty() { 0 } else { 2 }, "{ended:?}");
    found
}

fn log(stack: &Embedded) -> Vec<Value> {
    stack.log().iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn pause(stack: &Embedded, seconds: u64) {
    stack.advance(Duration::from_secs(seconds));
}

/// Each request of the catalogue, with its preparation and the checks of its effect, and then again.
async fn catalogue(stack: &Embedded) {
    for request in requests().filter(|request| request.settings.is_empty() && !request.needs_full_cost) {
        let mut actor = Actor::ready(request, stack).await;
        pause(stack, 15);
        actor.send().await;
        pause(stack, 15);
        actor.assert_in_force(stack).await;
        actor.send().await;
        pause(stack, 15);
    }
}

/// One step of somebody with an account and several devices.
async fn step(stack: &Embedded, devices: &mut [Visitor], choices: &mut Choices) {
    let (one, other) = (choices.below(2), choices.below(14));
    let passwords = [PASSWORD, "Otra1234"];
    let password = passwords[usize::try_from(one).unwrap()];
    let visitor = &mut devices[usize::try_from(choices.below(2)).unwrap()];
    let email = visitor.email.clone();
    match other {
        0..=2 => drop(visitor.login(password).await),
        3 => drop(visitor.form(paths::LOGOUT, &[]).await),
        4 => {
            let fields = [("name", "Ana"), ("password", password), ("confirm_password", password)];
            visitor.form(paths::USER_CONFIG, &fields).await;
        }
        5 => drop(visitor.form(paths::CLOSE_SESSION, &[("others", "on")]).await),
        6 => {
            let ids: Vec<String> = if visitor.cookie.is_some() && visitor.clone().session().await.status == 200 {
                visitor.sessions().await.iter().map(|session| text(session, "id")).collect()
            } else {
                Vec::new()
            };
            if let Some(id) = ids.last() {
                visitor.form(paths::CLOSE_SESSION, &[("id", id)]).await;
            }
        }
        7 => drop(visitor.confirm(password).await),
        8 => drop(visitor.form(paths::EXPORT_ACCOUNT, &[]).await),
        9 => drop(visitor.google(json!({})).await),
        10 => drop(visitor.form(paths::UNLINK_GOOGLE, &[]).await),
        11 => {
            visitor.form(paths::SEND_RESET_LINK, &[("email", &email)]).await;
            if let Some(token) = visitor.mailed_tokens().await.into_iter().next() {
                visitor.reset(&token, password).await;
            }
        }
        12 if one == 0 && choices.below(4) == 0 => drop(visitor.form(paths::DELETE_ACCOUNT, &[]).await),
        _ => drop(visitor.register().await),
    }
    pause(stack, 11 + choices.below(300));
}

/// The lines of traffic between quiet times, which the edges of the time are.
async fn traffic(seed: u64) -> Vec<Value> {
    let stack = Embedded::start(&[]).await;
    stack.service.visitor().login(PASSWORD).await;
    pause(&stack, 60);
    catalogue(&stack).await;
    let mut choices = Choices(seed);
    let mut people: Vec<[Visitor; 2]> = Vec::new();
    for _ in 0..3 {
        let visitor = stack.service.visitor().signed_in().await;
        people.push([visitor.elsewhere(), visitor]);
    }
    for _ in 0..150 {
        let person = usize::try_from(choices.below(3)).unwrap();
        step(&stack, &mut people[person], &mut choices).await;
    }
    let mut lines = operators(&stack).await;
    pause(&stack, 60);
    stack.service.visitor().login(PASSWORD).await;
    lines.extend(log(&stack));
    lines.sort_by_key(|line| text(line, "timestamp"));
    lines
}

/// Makes an operator's changes of accounts, and gives their lines, at the time of the stack.
async fn operators(stack: &Embedded) -> Vec<Value> {
    let mut found = Vec::new();
    for kind in ["one account", "its end"] {
        let mut ana = stack.service.visitor().signed_in().await;
        ana.with_passkey().await;
        let new = ana.new_email();
        let commands: Vec<Vec<&str>> = if kind == "its end" {
            vec![
                vec!["verify", &ana.email, "--yes"],
                vec!["force-reset", &ana.email, "--yes"],
                vec!["erase", &ana.email, "--yes"],
            ]
        } else {
            vec![
                vec!["disable", &ana.email],
                vec!["enable", &ana.email],
                vec!["sessions", "end", &ana.email, "--all"],
                vec!["lock", &ana.email, "--yes"],
                vec!["set-email", &ana.email, &new, "--yes"],
            ]
        };
        for command in commands {
            pause(stack, 30);
            let ended = accounts(stack, &[&command[..], &["--reason", "a test"]].concat()).await;
            assert_eq!(ended.code, 0, "{ended:?}");
            let lines = ended.err.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            found.extend(lines.filter(Value::is_object).map(|mut line| {
                line["timestamp"] = json!(stack.now().to_rfc3339());
                line
            }));
        }
        pause(stack, 30);
    }
    found
}

/// A line of an event at a minute, and the line of its call.
fn told(minute: u64, function: &str, event: &str, mut more: Value) -> [Value; 2] {
    let id = format!("r-{minute}-{function}");
    let at = |second: u64| format!("2026-03-01T10:{minute:02}:{second:02}.000Z");
    let mut line = json!({"timestamp": at(1), "level": "INFO", "function": function, "request.id": id, "audit.event": event, "account.id": 7});
    line.as_object_mut().unwrap().append(more.as_object_mut().unwrap());
    [line, json!({"timestamp": at(0), "level": "INFO", "function": function, "request.id": id, "http.status": 200})]
}

fn by_operator(minute: u64, event: &str) -> [Value; 2] {
    let line = |stage: &str| {
        let at = format!("2026-03-01T10:{minute:02}:00.000Z");
        json!({"timestamp": at, "function": "accounts", "request.id": format!("o-{minute}"), "audit.event": event, "audit.stage": stage, "account.id": 7})
    };
    [line("intended"), line("done")]
}

/// A history: its name, its lines, and the findings about it.
type History = (&'static str, Vec<[Value; 2]>, &'static [(&'static str, &'static str)]);

fn histories() -> Vec<History> {
    let registered = || told(1, "register", "account-registered", json!({}));
    let login = |minute: u64, session: &str| {
        told(minute, "login", "login-succeeded", json!({"audit.method": "password", "session.id": session}))
    };
    let by_passkey = |minute: u64, id: &str| {
        told(
            minute,
            "passkey-login",
            "login-succeeded",
            json!({"audit.method": "passkey", "session.id": "p", "passkey.id": id}),
        )
    };
    let used =
        |minute: u64, session: &str| told(minute, "export-account", "account-exported", json!({"session.id": session}));
    let changed = |minute: u64, from: &str, to: &str| {
        told(minute, "user-config", "password-changed", json!({"session.id": from, "session.other": to}))
    };
    let logged_out = |minute: u64, session: &str| told(minute, "logout", "logged-out", json!({"session.id": session}));
    let deleted =
        |minute: u64, session: &str| told(minute, "delete-account", "account-deleted", json!({"session.id": session}));
    let locked = |minute: u64| told(minute, "lock-account", "account-locked", json!({}));
    vec![
        ("a usual one", vec![registered(), login(2, "a"), changed(3, "a", "b"), used(4, "b"), deleted(5, "b")], &[]),
        (
            "the end of a session without a login",
            vec![registered(), logged_out(3, "x")],
            &[("before-begin", "logged-out")],
        ),
        (
            "the use of a session that has ended",
            vec![login(2, "a"), logged_out(3, "a"), used(4, "a")],
            &[("after-end", "account-exported")],
        ),
        (
            "a new password by a session that never logged in",
            vec![registered(), changed(3, "x", "y")],
            &[("before-begin", "password-changed")],
        ),
        (
            "the use of another session after a new password",
            vec![login(1, "a"), login(2, "b"), changed(3, "a", "c"), used(4, "b")],
            &[("after-end", "account-exported")],
        ),
        (
            "a passkey that was never created",
            vec![registered(), by_passkey(3, "k")],
            &[("before-begin", "login-succeeded")],
        ),
        (
            "a login after the deletion",
            vec![login(2, "a"), deleted(3, "a"), login(4, "b")],
            &[("after-end", "login-succeeded")],
        ),
        (
            "two deletions",
            vec![login(2, "a"), login(3, "b"), deleted(4, "a"), deleted(5, "b")],
            &[("after-end", "account-deleted"), ("twice", "account-deleted")],
        ),
        (
            "a registration after a login",
            vec![login(2, "a"), told(3, "register", "account-registered", json!({}))],
            &[("before-begin", "login-succeeded")],
        ),
        (
            "a login while disabled",
            vec![by_operator(2, "account-disabled"), login(3, "a"), by_operator(4, "account-enabled")],
            &[("after-end", "login-succeeded")],
        ),
        (
            "a login after it was enabled again",
            vec![by_operator(2, "account-disabled"), by_operator(3, "account-enabled"), login(4, "a")],
            &[],
        ),
        ("a password after the lock took it", vec![locked(2), login(3, "a")], &[("after-end", "login-succeeded")]),
        ("a session opened twice", vec![login(2, "a"), login(3, "a")], &[("twice", "login-succeeded")]),
        (
            "an account that a restore brought back",
            vec![
                login(2, "a"),
                by_operator(3, "account-erased"),
                by_operator(4, "account-restored"),
                login(5, "b"),
                used(6, "b"),
            ],
            &[],
        ),
        ("a session from before the time", vec![used(2, "old"), logged_out(3, "old")], &[]),
    ]
}

/// Histories with imports and with Google.
fn histories_with_others() -> Vec<History> {
    let login = |minute: u64, session: &str| {
        told(minute, "login", "login-succeeded", json!({"audit.method": "password", "session.id": session}))
    };
    let deleted = told(3, "delete-account", "account-deleted", json!({"session.id": "a"}));
    vec![
        (
            "an account that an import has created again",
            vec![login(2, "a"), deleted, by_operator(4, "users-imported"), login(5, "b")],
            &[],
        ),
        (
            "a login with Google after the link was removed",
            vec![
                told(2, "unlink-google", "identity-unlinked", json!({"session.id": "a", "session.other": "b"})),
                told(3, "google-login", "login-succeeded", json!({"audit.method": "google", "session.id": "c"})),
            ],
            &[("after-end", "login-succeeded")],
        ),
    ]
}

#[tokio::test]
async fn a_history_that_no_order_of_requests_explains_is_found_with_the_line_that_it_contradicts() {
    for (name, history, expected) in histories().into_iter().chain(histories_with_others()) {
        let edges = [
            told(0, "logout", "logged-out", json!({"account.id": 1})),
            told(59, "logout", "logged-out", json!({"account.id": 1})),
        ];
        let mut lines: Vec<Value> = history.into_iter().chain(edges).flatten().collect();
        let found: BTreeSet<(String, String)> = findings(&lines).await.into_iter().collect();
        let expected: BTreeSet<_> =
            expected.iter().map(|(kind, event)| ((*kind).to_owned(), (*event).to_owned())).collect();
        assert_eq!(found, expected, "{name}");
        lines.reverse();
        assert_eq!(
            findings(&lines).await.into_iter().collect::<BTreeSet<_>>(),
            expected,
            "the order in the file is nothing: {name}"
        );
    }
}

#[tokio::test]
async fn an_event_without_its_call_and_a_call_without_its_event_are_found() {
    let edges = [told(0, "logout", "logged-out", json!({})), told(59, "logout", "logged-out", json!({}))].concat();
    let [event, call] = told(5, "login", "login-succeeded", json!({"session.id": "a"}));
    for (line, expected) in [(event, ("call-missing", "login-succeeded")), (call, ("event-missing", ""))] {
        let lines = [edges.clone(), vec![line]].concat();
        assert_eq!(findings(&lines).await, [(expected.0.to_owned(), expected.1.to_owned())]);
    }
}

#[tokio::test]
async fn a_line_of_a_function_in_a_stream_of_operators_is_found_in_the_log_of_a_stack() {
    let (stack, _, aws, url) = recording::start().await;
    let lines = |stream: &str| {
        let mut lines = [by_operator(5, "account-disabled"), told(9, "logout", "logged-out", json!({}))].concat();
        for (place, line) in lines.iter_mut().enumerate() {
            line["stream"] = json!(if place < 2 { "operator/2026-03-01" } else { stream });
        }
        lines
    };
    for (stream, expected) in [("2026/03/01/[7]abc", 0), ("operator/2026-03-01", 2)] {
        *aws.log.lock().unwrap() = lines(stream);
        let ended = recording::for_stack(&stack, &url, &["--json", "verify-log", "--since", "7d"]).await;
        assert_eq!((ended.code, ended.lines().len()), (if expected == 0 { 0 } else { 2 }, expected), "{ended:?}");
        assert!(ended.lines().iter().all(|line| line["finding"] == "misplaced"), "{ended:?}");
    }
    let asked = aws.reads.lock().unwrap().clone();
    assert!(text(&asked[0], "filterPattern").contains("$.function != \"session\""), "{asked:?}");
    let local = crate::local(&stack, &["verify-log"]).await;
    assert!(local.code == 3 && local.err.contains("--file"), "{local:?}");
    let both = crate::local(&stack, &["verify-log", "--file", "lines.ndjson"]).await;
    assert!(both.code == 3 && both.err.contains("either"), "{both:?}");
}

#[tokio::test]
async fn lines_within_ten_seconds_may_stand_for_any_order() {
    let line = |second: u64, event: &str, function: &str| {
        let at = format!("2026-03-01T10:05:{second:02}.000Z");
        let id = format!("r-{second}");
        [
            json!({"timestamp": at, "function": function, "request.id": id, "audit.event": event, "account.id": 7, "session.id": "a"}),
            json!({"timestamp": at, "function": function, "request.id": id, "http.status": 200}),
        ]
    };
    let edges = [told(0, "logout", "logged-out", json!({})), told(59, "logout", "logged-out", json!({}))].concat();
    for (second, expected) in [(15, 0), (30, 1)] {
        let history = [
            line(1, "login-succeeded", "login"),
            line(6, "logged-out", "logout"),
            line(second, "account-exported", "export-account"),
        ];
        let lines = [edges.clone(), history.concat()].concat();
        assert_eq!(findings(&lines).await.len(), expected, "{second}");
    }
}
