//! What operators write about one account and about all.

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::rows::{put, text, with};
use journeys::{Embedded, Visitor};
use serde_json::json;
use shared::store::operator::{Action, NotBefore, Operator, Profile};
use shared::store::{COUNTER_MAX, Erased, Resets};
use shared::system::clock::Timestamp;
use shared::{AccountKey, Email};

use super::recording::{Recorder, clear, setup};
use super::writes::Right;

const BY: Right = Right::Operator;

/// An account: with a password, or also with a passkey, with another address than at first, or with everything that an
/// account can have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    Passkey,
    Moved,
    Full,
}

/// An account with its key.
pub(super) struct Owner {
    pub(super) visitor: Visitor,
    pub(super) key: AccountKey,
}

impl Owner {
    pub(super) async fn new(stack: &Embedded, kind: Kind) -> Self {
        let mut visitor = stack.service.visitor().signed_in().await;
        let key = AccountKey::of(&Email::parse(&visitor.email).unwrap());
        if kind == Kind::Full {
            let token = visitor.verification_token().await;
            visitor.verify(&token).await;
            assert_eq!(visitor.google(json!({"sub": format!("3{}", key.as_str())})).await.status, 200);
        }
        if matches!(kind, Kind::Passkey | Kind::Full) {
            visitor.with_passkey().await;
        }
        if matches!(kind, Kind::Moved | Kind::Full) {
            let email = visitor.new_email();
            visitor = visitor.moved_to(&email).await;
        }
        Self { visitor, key }
    }

    pub(super) async fn read(&self, operator: &Operator) -> Profile {
        operator.accounts(std::slice::from_ref(&self.key), &[]).await.unwrap().0.remove(0).unwrap()
    }

    /// Changes an attribute of the profile, as nothing but damage does.
    pub(super) async fn damage(&self, stack: &Embedded, name: &str, value: Option<AttributeValue>) {
        let rows = stack.items("accounts").await;
        let is_own = |item: &journeys::Item| text(item, "pk") == self.key.as_str() && text(item, "sk") == "profile";
        let item = rows.into_iter().find(is_own).unwrap();
        put(stack, with(&item, name, value)).await;
    }
}

pub(super) async fn record(recorder: &mut Recorder) {
    let stack = Embedded::start(&[]).await;
    let operator = Operator::new(&setup(&stack));
    for kind in [Kind::Plain, Kind::Passkey, Kind::Moved, Kind::Full] {
        let actions = [
            ("disable", Action::Disable(stack.now())),
            ("enable", Action::Enable),
            ("reset-password", Action::ForceReset),
            ("end-sessions", Action::EndSessions),
            ("lock by an operator", Action::Lock),
            ("verify by an operator", Action::Verify),
        ];
        for (name, action) in actions {
            clear(&stack).await;
            let owner = Owner::new(&stack, kind).await;
            if matches!(action, Action::Enable) {
                let read = owner.read(&operator).await;
                assert!(operator.act(&read, Action::Disable(stack.now())).await.unwrap());
            }
            let read = owner.read(&operator).await;
            assert!(recorder.record(&stack, (name, BY), operator.act(&read, action)).await.unwrap(), "{name}");
        }
        if matches!(kind, Kind::Plain | Kind::Full) {
            account(recorder, &stack, &operator, kind).await;
        }
    }
    for_all(recorder, &stack, &operator).await;
}

/// The other changes of one account.
async fn account(recorder: &mut Recorder, stack: &Embedded, operator: &Operator, kind: Kind) {
    clear(stack).await;
    let resets = Resets::new(&setup(stack));
    let owner = Owner::new(stack, kind).await;
    let read = owner.read(operator).await;
    let email = Email::parse(&format!("set-{}", owner.visitor.email)).unwrap();
    let done = recorder.record(stack, ("set-email", BY), operator.set_email(&read, &email)).await;
    assert_eq!(done.unwrap(), shared::store::operator::Moved::Done);
    let first = Email::parse(owner.visitor.email.trim_start_matches("new-")).unwrap();
    let read = owner.read(operator).await;
    let done = recorder.record(stack, ("set-email to the first address", BY), operator.set_email(&read, &first)).await;
    assert_eq!(done.unwrap(), shared::store::operator::Moved::Done);
    let read = owner.read(operator).await.account;
    let token = resets.mint(&owner.key).unwrap();
    let done = recorder.record(stack, ("mailed reset", BY), operator.force_reset(&read, Some(&token))).await;
    assert!(done.unwrap());
    let read = owner.read(operator).await.account;
    let token = resets.mint(&owner.key).unwrap();
    let done = recorder.record(stack, ("mailed reset again", BY), operator.store_token(&read, &token)).await;
    assert!(done.unwrap());
    clear(stack).await;
    let owner = Owner::new(stack, kind).await;
    let read = owner.read(operator).await.account;
    let done = recorder.record(stack, ("reset of all", BY), operator.force_reset(&read, None)).await;
    assert!(done.unwrap());
    clear(stack).await;
    let owner = Owner::new(stack, kind).await;
    let read = owner.read(operator).await.account;
    assert!(recorder.record(stack, ("legacy", BY), operator.remove_password(&read)).await.unwrap());
    let partition = operator.partition(&owner.key).await.unwrap().unwrap();
    let session = partition.sessions().next().unwrap();
    let done = recorder.record(stack, ("end-session", BY), operator.end_session(&owner.key, &session)).await;
    assert!(done.unwrap());
    if let Some(id) = read.passkeys.first() {
        let done =
            recorder.record(stack, ("remove-passkey by an operator", BY), operator.remove_passkey(&read, id)).await;
        assert!(done.unwrap());
    }
    clear(stack).await;
    let owner = Owner::new(stack, kind).await;
    let read = owner.read(operator).await.account;
    assert_eq!(recorder.record(stack, ("erase", BY), operator.erase(&read)).await.unwrap(), Erased::Done);
}

/// The end of all sessions, and the counter of ids.
async fn for_all(recorder: &mut Recorder, stack: &Embedded, operator: &Operator) {
    clear(stack).await;
    for (name, seconds) in [("end-all", 1000), ("end-all again", 2000)] {
        let time = NotBefore::at(Timestamp::from_seconds(seconds));
        assert!(recorder.record(stack, (name, BY), operator.end_sessions_before(time)).await.unwrap());
    }
    clear(stack).await;
    let now = stack.now();
    for (name, last) in [("first closed ids", 100), ("closed ids", 200)] {
        recorder.record(stack, (name, BY), operator.close_ids(last, now)).await.unwrap();
    }
    for (name, last) in [("first imported ids", 100), ("imported ids", 200)] {
        recorder.record(stack, (name, BY), operator.note_imported_ids(last)).await.unwrap();
    }
    recorder.record(stack, ("forgotten imported ids", BY), operator.forget_imported_ids()).await.unwrap();
    operator.close_ids(COUNTER_MAX + 1, now).await.unwrap();
    operator.note_imported_ids(200).await.unwrap();
    for (name, last) in [("lowered ids", 300), ("lowered ids and imported ones", 100)] {
        assert!(recorder.record(stack, (name, BY), operator.lower_ids(last, now)).await.unwrap());
        operator.close_ids(COUNTER_MAX + 1, now).await.unwrap();
        operator.note_imported_ids(200).await.unwrap();
    }
}
