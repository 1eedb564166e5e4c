//! What imports and their undoing write.

use journeys::Embedded;
use journeys::rows::weak_hash;
use shared::Email;
use shared::password::{StoredHash, StoredPassword};
use shared::store::operator::{Imported, Inserted, Operator, Profile};

use super::operating::{Kind, Owner};
use super::recording::{Recorder, clear, setup};
use super::writes::Right;

const BY: Right = Right::Import;

/// The account as an import of another system would have left it.
fn imported(mut profile: Profile) -> Profile {
    let account = &mut profile.account;
    account.passkeys.clear();
    account.passkey_user = None;
    account.credentials_changed_by = None;
    account.password_set_at = None;
    account.browsers.clear();
    account.browsers_since = None;
    profile.former_emails.clear();
    profile.proved_at = None;
    let digest = profile.account.digest(profile.created_at).unwrap();
    profile.imported =
        Some(Imported { run: "run".to_owned(), digest: Some(digest), generation: profile.account.generation });
    profile
}

fn hash() -> StoredHash {
    serde_json::from_value(weak_hash("Otra1234").into()).unwrap()
}

/// A change of an account that another system has made.
type Change = fn(&mut Profile);

/// What another system may have changed.
const CHANGES: [(&str, Change); 8] = [
    ("import of the first address", |new| {
        new.account.email = Email::parse(new.account.email.as_str().trim_start_matches("new-")).unwrap();
        new.account.generation += 1;
    }),
    ("import of a name", |new| "Otro Nombre".clone_into(&mut new.account.name)),
    ("import of a password", |new| {
        new.account.password = StoredPassword::Hash(hash());
        new.account.generation += 1;
    }),
    ("import without a password", |new| {
        new.account.password = StoredPassword::None;
        new.account.google_sub = Some("500000000000000000001".to_owned());
        new.account.generation += 1;
    }),
    ("import of an identity", |new| {
        new.account.google_sub = Some("500000000000000000002".to_owned());
        new.account.generation += 1;
    }),
    ("import of a disabled account", |new| {
        new.account.disabled_at = Some(1_700_000_000);
        new.account.generation += 1;
    }),
    ("import of an address", |new| {
        new.account.email = Email::parse("imported@example.com").unwrap();
        new.account.generation += 1;
    }),
    ("import of a locked account", |new| {
        new.account.password = StoredPassword::None;
        new.account.generation += 1;
    }),
];

pub(super) async fn record(recorder: &mut Recorder) {
    let stack = Embedded::start(&[]).await;
    let operator = Operator::new(&setup(&stack));
    for kind in [Kind::Plain, Kind::Full] {
        clear(&stack).await;
        let read = Owner::new(&stack, kind).await.read(&operator).await;
        let start = imported(read);
        for (name, change) in CHANGES {
            clear(&stack).await;
            let inserted = recorder.record(&stack, ("import", BY), operator.insert(&start)).await;
            assert!(matches!(inserted.unwrap(), Inserted::Yes));
            let read = read_again(&operator, &start).await;
            let mut new = read.clone();
            change(&mut new);
            let new = imported(new);
            assert!(recorder.record(&stack, (name, BY), operator.replace(&read, &new)).await.unwrap(), "{name}");
            // What the import has moved comes back.
            let read = read_again(&operator, &start).await;
            assert!(recorder.record(&stack, ("undo", BY), operator.undo(&read, stack.now())).await.unwrap(), "{name}");
        }
    }
}

async fn read_again(operator: &Operator, start: &Profile) -> Profile {
    operator.accounts(std::slice::from_ref(&start.account.key), &[]).await.unwrap().0.remove(0).unwrap()
}
