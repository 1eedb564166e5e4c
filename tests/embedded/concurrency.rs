//! Requests at the same time, besides those of the interleavings: what a late write meets, many changes of addresses, and
//! the ids of processes.

use std::collections::HashSet;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::future::join_all;
use journeys::sentences::{NO_SESSION, owned_sentence};
use journeys::sound::assert_sound;
use journeys::{Answer, Embedded, Failure, PASSWORD, Visitor, paths, rows};
use shared::store::Ids;
use shared::store::operator::{Moved, Operator};
use shared::{AccountKey, Email};

/// Delays the call of `slow` that comes after `after` others, runs `meanwhile`, and waits until the delayed call has
/// arrived.
pub(crate) async fn held_up<T>(
    stack: &Embedded,
    after: usize,
    slow: impl Future<Output = Answer>,
    meanwhile: impl Future<Output = T>,
) -> Answer {
    drop(stack.table.calls());
    stack.table.fail_call(after, Failure::Delay);
    let conflicting = async {
        let mut seen = 0;
        while seen <= after {
            seen += stack.table.calls().len();
            tokio::task::yield_now().await;
        }
        meanwhile.await
    };
    let (answer, _) = tokio::join!(slow, conflicting);
    while stack.table.late() == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    answer
}

async fn signed_in() -> (Embedded, Visitor) {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    (stack, ana)
}

#[tokio::test]
async fn a_stolen_session_cannot_change_the_password_after_a_reset() {
    let (stack, mut ana) = signed_in().await;
    let (token, mut thief) = (ana.reset_token().await, ana.clone());
    let fields = [("name", "Eva"), ("password", "Robada123"), ("confirm_password", "Robada123")];
    let theft = thief.form(paths::USER_CONFIG, &fields);
    let answer = held_up(&stack, 1, theft, ana.reset(&token, "Otra1234")).await;
    assert_eq!(answer.sentence(), owned_sentence(NO_SESSION));
    assert_eq!(thief.session().await.sentence(), owned_sentence(NO_SESSION));
    assert_eq!(ana.elsewhere().login("Robada123").await.success(), false);
    assert_eq!(ana.login("Otra1234").await.success(), true);
    assert_eq!(ana.session().await.user("name"), "Ana García");
}

#[tokio::test]
async fn recording_a_use_after_the_logout_does_not_revive_the_session() {
    let (stack, mut ana) = signed_in().await;
    stack.advance(Duration::from_mins(11));
    let mut slow = ana.clone();
    let answer = held_up(&stack, 1, slow.session(), ana.form(paths::LOGOUT, &[])).await;
    assert_eq!(answer.sentence(), owned_sentence(NO_SESSION));
    assert!(rows::sessions(&stack, &ana.email).await.is_empty());
}

#[tokio::test]
async fn a_late_deletion_does_not_delete_a_new_account_of_the_address() {
    // After it has read its session, and after it has also read the account.
    for calls in [1, 2] {
        let (stack, ana) = signed_in().await;
        let (mut new_owner, mut slow) = (ana.elsewhere(), ana.clone());
        let meanwhile = async {
            ana.clone().form(paths::DELETE_ACCOUNT, &[]).await;
            new_owner.register().await;
            new_owner.login(PASSWORD).await
        };
        let answer = held_up(&stack, calls, slow.form(paths::DELETE_ACCOUNT, &[]), meanwhile).await;
        assert_eq!(answer.status, 200);
        assert_eq!(new_owner.session().await.status, 200);
        assert_sound(&stack).await;
    }
}

const MANY: usize = 32;

#[tokio::test]
async fn of_32_changes_to_one_address_at_once_one_succeeds_and_nobody_else_loses_theirs() {
    let stack = Embedded::start(&[("MAILS_PER_DAY", "100")]).await;
    let wanted = "todas-la-quieren@example.com";
    let visitors = join_all((0..MANY).map(|_| stack.service.visitor().signed_in())).await;
    let asked = join_all(visitors.into_iter().map(async |mut visitor| {
        assert_eq!(visitor.change_email(wanted).await.success(), true);
        visitor
    }))
    .await;
    let tokens = Visitor { email: wanted.to_owned(), ..asked[0].elsewhere() }.mailed_tokens().await;
    assert_eq!(tokens.len(), MANY);
    let nobody = stack.service.visitor();
    let confirmed = join_all(tokens.iter().map(|token| {
        let mut nobody = nobody.clone();
        async move { nobody.confirm_email(token).await.success() == true }
    }))
    .await;
    assert_eq!(confirmed.iter().filter(|is_done| **is_done).count(), 1);
    let reached = join_all(asked.iter().map(async |visitor| {
        let own = visitor.elsewhere().login(PASSWORD).await.success() == true;
        let session = visitor.clone().session().await;
        assert_eq!(session.status, 200);
        assert_eq!(own, session.user("email") == *visitor.email);
        own
    }))
    .await;
    assert_eq!(reached.iter().filter(|own| **own).count(), MANY - 1);
    assert_sound(&stack).await;
}

#[tokio::test]
async fn of_32_registrations_of_an_address_that_was_left_one_succeeds() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    let (left, new) = (ana.elsewhere(), ana.new_email());
    ana.moved_to(&new).await;
    let registered = join_all((0..MANY).map(|_| {
        let mut visitor = left.clone();
        async move { visitor.register().await.success() == true }
    }))
    .await;
    assert_eq!(registered.iter().filter(|is_done| **is_done).count(), 1);
    assert_sound(&stack).await;
}

/// The processes that lease at once.
const PROCESSES: usize = 32;
/// Ids of one lease.
const BLOCK: usize = 50;

#[tokio::test]
async fn processes_that_lease_ids_at_once_never_get_the_same_id() {
    let stack = Embedded::start(&[]).await;
    let mut given = HashSet::new();
    for _ in 0..20 {
        let processes: Vec<Ids> = (0..PROCESSES).map(|_| Ids::new(&stack.setup(&[]))).collect();
        // One id more than a lease holds, so that each process has to lease twice.
        let each = processes.iter().flat_map(|ids| (0..=BLOCK).map(|_| ids.next()));
        for id in join_all(each).await {
            let id = id.unwrap();
            assert!((1..1 << 53).contains(&id) && given.insert(id), "{id}");
        }
    }
}

#[tokio::test]
async fn a_process_assigns_the_ids_of_a_lease_for_one_minute() {
    let stack = Embedded::start(&[]).await;
    let ids = Ids::new(&stack.setup(&[]));
    // The clock also advances by itself, so the steps leave a margin of ten seconds.
    for (seconds, expected) in [(0, 1), (50, 2), (10, 51), (50, 52), (60, 101)] {
        stack.advance(Duration::from_secs(seconds));
        assert_eq!(ids.next().await.unwrap(), expected);
    }
}

#[tokio::test]
async fn an_operator_writes_nothing_over_what_has_changed_since_the_account_was_read() {
    let (stack, mut ana) = signed_in().await;
    ana.with_passkey().await;
    let operator = Operator::new(&stack.setup(&[]));
    let key = AccountKey::of(&Email::parse(&ana.email).unwrap());
    let read = async || operator.partition(&key).await.unwrap().unwrap().profile;
    let new = Email::parse(&ana.new_email()).unwrap();

    let old = read().await;
    ana.elsewhere().login(PASSWORD).await;
    assert_eq!(ana.form(paths::CLOSE_SESSION, &[("others", "on")]).await.success(), true);
    assert_eq!(operator.set_email(&old, &new).await.unwrap(), Moved::Changed, "its sessions were ended");
    let eva = Visitor { email: new.as_str().to_owned(), ..stack.service.visitor() }.registered().await;
    assert_eq!(operator.set_email(&read().await, &new).await.unwrap(), Moved::Taken, "somebody has registered it");
    assert_eq!(eva.clone().login(PASSWORD).await.success(), true);

    let sound = rows::profile(&stack, &ana.email).await.unwrap();
    rows::put(&stack, rows::with(&sound, "name", Some(AttributeValue::Bool(true)))).await;
    let broken = operator.broken(&key).await.unwrap().unwrap();
    let mended = rows::with(&sound, "nonce", Some(AttributeValue::S("another".to_owned())));
    rows::put(&stack, mended).await;
    assert!(!operator.erase_broken(&broken).await.unwrap(), "somebody has mended it");
    assert_eq!(ana.session().await.user("email"), ana.email);
    assert_eq!(ana.form(paths::LIST_PASSKEYS, &[]).await.json()["passkeys"].as_array().unwrap().len(), 1);
    assert_sound(&stack).await;
}
