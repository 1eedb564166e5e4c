//! Google logins while the table fails: a login happens once, or it fails and a retry succeeds.

use journeys::{Embedded, Failure, Visitor};
use serde_json::{Value, json};

/// More calls than a login makes.
const CALLS: usize = 5;
const FAILURES: [Failure; 4] = [Failure::Throttle, Failure::Error, Failure::DropBefore, Failure::DropAfter];

/// The state that a login finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meets {
    Nobody,
    AnUnverifiedAccount,
    ItsOwnAccount,
}

impl Meets {
    async fn visitor(self, stack: &Embedded) -> Visitor {
        let mut visitor = stack.service.visitor();
        match self {
            Self::Nobody => {}
            Self::AnUnverifiedAccount => assert_eq!(visitor.register().await.success(), true),
            Self::ItsOwnAccount => assert_eq!(visitor.google(json!({})).await.status, 200),
        }
        visitor
    }

    fn status(self) -> &'static str {
        if self == Self::Nobody { "inserted" } else { "exists" }
    }
}

const ALL: [Meets; 3] = [Meets::Nobody, Meets::AnUnverifiedAccount, Meets::ItsOwnAccount];

/// The ids of the accounts with an address.
async fn accounts(stack: &Embedded, email: &str) -> Vec<String> {
    let items = stack.items("accounts").await;
    let profiles = items.iter().filter(|item| item.get("email").and_then(|email| email.as_s().ok()).is_some());
    let of = profiles.filter(|item| item["email"].as_s().unwrap() == email);
    of.map(|item| item["id"].as_n().unwrap().clone()).collect()
}

/// Asserts that there is one account, that it is the one in the answer, and that the session is live.
async fn one_account(stack: &Embedded, visitor: &mut Visitor, id: &Value, why: &str) {
    assert_eq!(accounts(stack, &visitor.email).await, [id.to_string()], "{why}");
    let session = visitor.session().await;
    assert_eq!((session.status, &session.user("id")), (200, id), "{why}");
}

#[tokio::test]
async fn a_login_succeeds_when_one_of_its_calls_fails_once() {
    for meets in ALL {
        let stack = Embedded::start(&[]).await;
        for call in 0..CALLS {
            for failure in FAILURES {
                let why = format!("{meets:?}, call {call}, {failure:?}");
                let mut ana = meets.visitor(&stack).await;
                let mut device = ana.elsewhere();
                stack.table.fail_call(call, failure);
                let login = device.google(json!({})).await;
                stack.table.heal();
                assert_eq!((login.status, &login.json()["status"]), (200, &json!(meets.status())), "{why}: {login:?}");
                one_account(&stack, &mut device, &login.user("id"), &why).await;
                assert_eq!(ana.google(json!({})).await.user("id"), login.user("id"), "{why}");
            }
        }
    }
}

#[tokio::test]
async fn a_login_fails_while_the_table_is_down_and_succeeds_later() {
    let stack = Embedded::start(&[]).await;
    for meets in ALL {
        for failure in FAILURES {
            let why = format!("{meets:?}, {failure:?}");
            let mut ana = meets.visitor(&stack).await.elsewhere();
            stack.table.fail_always(failure);
            let failed = ana.google(json!({})).await;
            assert_eq!(failed.sentence(), (500, "Error interno del servidor".to_owned()), "{why}");
            assert!(failed.set_cookies().is_empty(), "{why}");
            stack.table.heal();
            let login = ana.google(json!({})).await;
            assert_eq!((login.status, &login.json()["status"]), (200, &json!(meets.status())), "{why}");
            one_account(&stack, &mut ana, &login.user("id"), &why).await;
        }
    }
}

#[tokio::test]
async fn a_transaction_that_conflicts_with_another_is_retried() {
    let stack = Embedded::start(&[]).await;
    for meets in [Meets::Nobody, Meets::AnUnverifiedAccount] {
        let (mut twin, mut ana) = (meets.visitor(&stack).await, meets.visitor(&stack).await);
        // The first login of a process makes more calls than those after it.
        stack.service.visitor().google(json!({})).await;
        drop(stack.table.calls());
        twin.google(json!({})).await;
        let calls = stack.table.calls();
        let transaction = calls.iter().position(|call| call == "TransactWriteItems").unwrap();

        stack.table.fail_call(transaction, Failure::cancelled("TransactionConflict"));
        let login = ana.google(json!({})).await;
        assert_eq!((login.status, &login.json()["status"]), (200, &json!(meets.status())), "{meets:?}");
        let sent = stack.table.calls().iter().filter(|call| *call == "TransactWriteItems").count();
        assert_eq!(sent, 2, "{meets:?}");
        one_account(&stack, &mut ana, &login.user("id"), "a conflict").await;
    }
}
