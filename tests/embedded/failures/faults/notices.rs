//! The sweep of the function `notices`: each of its calls fails in each way, once and permanently, and then the records
//! are delivered again. No letter is lost, and nothing of a deleted account is left. A letter is sent again only if the
//! mail service's answer was lost, or if the function could not store that it had sent the letter.

use futures_util::future::join_all;
use journeys::{Embedded, PASSWORD, Visitor, paths, rows};
use serde_json::json;

use super::ways::{Call, Fault, Times, Way};
use super::{BUSY, unless_stalled};

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
        let (stack, mut ana) = Embedded::registered(self.settings()).await;
        if self != Self::Registration {
            assert_eq!(ana.login(PASSWORD).await.success(), true);
            assert!(stack.deliver_changes().await);
        }
        match self {
            Self::Registration => {}
            Self::Password => {
                assert_eq!(ana.set_password("Otra1234").await.success(), true);
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
                    // The index shows the entries only when the item of the erasure expires.
                    for entry in entries {
                        let put = stack.dynamodb().put_item().table_name("entries").set_item(Some(entry));
                        put.send().await.unwrap();
                    }
                    assert_eq!(rows::expire_erasures(&stack).await.len(), 1);
                }
            }
        }
        drop(Call::of(&stack));
        (stack, ana)
    }

    /// Asserts that everything was done. Returns the number of letters.
    async fn assert_done(self, stack: &Embedded, ana: &Visitor, case: &str) -> usize {
        let mails = stack.service.mails(&ana.email).await;
        let letters = mails.iter().filter(|mail| mail["subject"].as_str() == self.subject()).count();
        match self {
            Self::Password => {}
            Self::Registration => {
                let token = ana.newest_token().await;
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

/// Makes one call fail, delivers the records until the function has handled them, and checks the results.
async fn run(handled: Handled, fault: &Fault) {
    let case = format!("{handled:?}, {fault:?}");
    let mut permit = Some(BUSY.acquire().await.unwrap());
    let (stack, ana) = handled.ready().await;
    let (is_handled, failed) = fault.during(&stack, &mut permit, stack.deliver_changes()).await;
    let may_fail = fault.times == Times::ForGood || fault.way == Way::Delayed;
    assert!(is_handled || may_fail, "{case}: one fault makes the function fail");
    assert!(stack.deliver_changes().await, "{case}: {:?}", stack.log().last());
    let letters = handled.assert_done(&stack, &ana, &case).await;
    let again = match fault.call.operation.as_str() {
        "SendEmail" if matches!(fault.way, Way::DroppedAfter | Way::Delayed) => failed,
        "PutItem" => usize::from(!is_handled),
        _ => 0,
    };
    let least = usize::from(handled.subject().is_some());
    assert!((least..=least * (1 + again)).contains(&letters), "{case}: {letters} letters");
    assert_eq!(stack.dead_letters().await, Vec::<serde_json::Value>::new(), "{case}");
}

async fn sweep(handled: Handled) {
    let permit = BUSY.acquire().await.unwrap();
    let (stack, ana) = handled.ready().await;
    assert!(stack.deliver_changes().await);
    let calls = Call::of(&stack);
    let letters = handled.assert_done(&stack, &ana, "without faults").await;
    assert_eq!(letters, usize::from(handled.subject().is_some()), "{handled:?}");
    drop(permit);
    let faults = Fault::all(&calls, false);
    join_all(faults.iter().map(|fault| unless_stalled(move || run(handled, fault)))).await;
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
