//! The sweep of the function `notices`: each of its calls fails in each way, once and permanently, and then the records
//! are delivered again. No letter is lost, and nothing of a deleted account is left. A letter is sent again only if the
//! mail service's answer was lost, or if the function could not store that it had sent the letter.

use futures_util::future::join_all;
use journeys::{Embedded, Item, PASSWORD, Request, Visitor, paths};
use serde_json::json;

use super::ways::{Backend, Call, Fault, Times, Way};
use super::{BUSY, until_executed};
use journeys::rows;

/// The backends that the function calls through a proxy.
const BACKENDS: [Backend; 2] = [Backend::Table, Backend::Mail];
/// The number of entries, which is more than a batch can have.
const ENTRIES: usize = 30;

/// The change that the function handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Handled {
    /// A new password, of which the owner is notified.
    Password,
    /// A registration, whose address has to be verified.
    Registration,
    /// A deletion of an account that has a session and entries.
    Deletion,
    /// The expiry of the item of an erasure. By then, the index has entries that it did not have before.
    LateErasure,
}

impl Handled {
    fn settings(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Registration => &[("VERIFY_EMAIL", "on")],
            _ => &[],
        }
    }

    /// The subject of the letter.
    fn subject(self) -> Option<&'static str> {
        match self {
            Self::Password => Some("Tu contraseña ha cambiado"),
            Self::Registration => Some("Verifica tu dirección de correo"),
            Self::Deletion => Some("Tu cuenta se ha eliminado"),
            Self::LateErasure => None,
        }
    }

    /// Starts a stack and makes the change. The function has not received it yet.
    async fn ready(self) -> (Embedded, Visitor) {
        let stack = Embedded::start(self.settings()).await;
        let mut ana = stack.service.visitor().registered().await;
        if self != Self::Registration {
            assert_eq!(ana.login(PASSWORD).await.success(), true);
            assert!(stack.deliver_changes().await);
        }
        match self {
            Self::Registration => {}
            Self::Password => {
                let fields = [("name", "Ana"), ("password", "Otra1234"), ("confirm_password", "Otra1234")];
                assert_eq!(ana.form(paths::USER_CONFIG, &fields).await.success(), true);
            }
            Self::Deletion | Self::LateErasure => {
                let session = rows::sessions(&stack, &ana.email).await.remove(0);
                let body = json!(vec![json!({}); ENTRIES]).to_string();
                assert_eq!(ana.json(paths::RECEIVE_DATA, body).await.success(), true);
                assert_eq!(ana.elsewhere().json(paths::RECEIVE_DATA, "{}").await.success(), true);
                let entries = stack.items("entries").await;
                assert_eq!(ana.form(paths::DELETE_ACCOUNT, &[]).await.success(), true);
                rows::put(&stack, session).await;
                if self == Self::LateErasure {
                    assert!(stack.deliver_changes().await);
                    show_late(&stack, entries).await;
                }
            }
        }
        for backend in BACKENDS {
            drop(backend.proxy(&stack).calls());
        }
        (stack, ana)
    }

    /// Asserts that everything was done. Returns the number of letters.
    async fn assert_done(self, stack: &Embedded, ana: &Visitor, case: &str) -> usize {
        let mails = stack.service.mails(&ana.email).await;
        let letters = mails.iter().filter(|mail| mail["subject"].as_str() == self.subject()).count();
        match self {
            Self::Password => {}
            Self::Registration => {
                let token = ana.mailed_tokens().await.remove(0);
                assert_eq!(ana.clone().verify(&token).await.success(), true, "{case}: the newest link");
            }
            Self::Deletion | Self::LateErasure => {
                let entries = stack.items("entries").await;
                assert!(entries.iter().all(|entry| !entry.contains_key("account")), "{case}: entries are left");
                assert_eq!(entries.len(), 1, "{case}: the entry without an account stays");
                let pk = rows::partition_key(&ana.email);
                let items = stack.items("accounts").await;
                assert!(items.iter().all(|item| rows::text(item, "pk") != pk), "{case}: {items:?}");
            }
        }
        letters
    }
}

/// Writes entries as if the index showed them late, and deletes the items of erasures, as TTL does.
async fn show_late(stack: &Embedded, entries: Vec<Item>) {
    let dynamodb = stack.dynamodb();
    for entry in entries {
        dynamodb.put_item().table_name("entries").set_item(Some(entry)).send().await.unwrap();
    }
    for item in stack.items("accounts").await.into_iter().filter(|item| rows::text(item, "sk") == "erasure") {
        let delete = dynamodb.delete_item().table_name("accounts").key("pk", item["pk"].clone());
        delete.key("sk", item["sk"].clone()).send().await.unwrap();
    }
}

/// The calls of a delivery without faults.
async fn calls(handled: Handled) -> Vec<Call> {
    let _permit = BUSY.acquire().await.unwrap();
    let (stack, ana) = handled.ready().await;
    assert!(stack.deliver_changes().await);
    let mut calls: Vec<Call> = Vec::new();
    for backend in BACKENDS {
        for operation in backend.proxy(&stack).calls() {
            let place = calls.iter().filter(|call| (call.backend, &call.operation) == (backend, &operation)).count();
            calls.push(Call { backend, place, operation });
        }
    }
    let letters = handled.assert_done(&stack, &ana, "without faults").await;
    assert_eq!(letters, usize::from(handled.subject().is_some()), "{handled:?}");
    calls
}

/// Makes one call fail, delivers the records until the function has handled them, and checks the results.
async fn run(handled: Handled, fault: Fault) {
    let Fault { call, way, times, failure } = fault;
    let case = format!("{handled:?}, {call:?} {failure:?} {times:?}");
    let mut permit = Some(BUSY.acquire().await.unwrap());
    let (stack, ana) = handled.ready().await;
    let proxy = call.backend.proxy(&stack);
    let before = proxy.failed();
    proxy.fail_call_of(&call.operation, call.place, failure, times == Times::ForGood);
    if way == Way::Delayed {
        permit = None;
    }
    let is_handled = stack.deliver_changes().await;
    proxy.heal();
    let failed = proxy.failed() - before;
    assert_ne!(failed, 0, "{case}: no such call");
    if way == Way::Delayed {
        until_executed(proxy, failed).await;
        permit = Some(BUSY.acquire().await.unwrap());
    }
    assert!(is_handled || times == Times::ForGood || way == Way::Delayed, "{case}: one fault makes the function fail");
    assert!(stack.deliver_changes().await, "{case}: {:?}", stack.log().last());
    let letters = handled.assert_done(&stack, &ana, &case).await;
    let is_executed = matches!(way, Way::DroppedAfter | Way::Delayed);
    let again = match call.operation.as_str() {
        "SendEmail" if is_executed => failed,
        "PutItem" => usize::from(!is_handled),
        _ => 0,
    };
    let least = usize::from(handled.subject().is_some());
    assert!((least..=least * (1 + again)).contains(&letters), "{case}: {letters} letters");
    assert_eq!(stack.dead_letters().await, Vec::<serde_json::Value>::new(), "{case}");
    drop(permit);
}

async fn sweep(handled: Handled) {
    let calls = calls(handled).await;
    join_all(Fault::all(Request::named("login"), &calls).into_iter().map(|fault| run(handled, fault))).await;
}

#[tokio::test]
async fn whatever_fails_the_letter_of_a_change_arrives() {
    sweep(Handled::Password).await;
}

#[tokio::test]
async fn whatever_fails_the_link_of_a_registration_arrives_and_the_newest_one_works() {
    sweep(Handled::Registration).await;
}

#[tokio::test]
async fn whatever_fails_the_owner_is_notified_of_a_deletion_and_nothing_is_left() {
    sweep(Handled::Deletion).await;
}

#[tokio::test]
async fn whatever_fails_entries_that_the_index_shows_late_are_erased() {
    sweep(Handled::LateErasure).await;
}
