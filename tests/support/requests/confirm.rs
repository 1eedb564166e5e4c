//! A proof of who the caller is, and the lock of an account.

use super::{Body, Caller, Conflicts, Endpoint, Request, Said, paths};
use crate::{Item, PASSWORD, rows};
use crate::sentences::{CONFIRMED, INVALID_TOKEN, LOCKED, NOT_CONFIRMED};

const BY_PASSWORD: Request = Request {
    name: "confirm",
    path: paths::CONFIRM,
    body: Body::Form(&[("password", "{password}")]),
    answer: Said::Sentence(CONFIRMED),
    effect: Some(|actor, stack| {
        Box::pin(async {
            // The proofs of the logins are older than the one that was just given.
            let sessions = stack.items("accounts").await;
            let is_proved = |item: &&Item| item.contains_key("proved_at") && rows::text(item, "sk").starts_with("session#");
            let key = rows::partition_key(&actor.visitor.email);
            assert_eq!(sessions.iter().filter(is_proved).filter(|item| rows::text(item, "pk") == key).count(), 1);
        })
    }),
    ..Request::READ
};

pub(super) const CONFIRM: Endpoint = Endpoint {
    name: "confirm",
    path: paths::CONFIRM,
    requests: &[
        Request { cost: Some("confirm"), conflicts: Conflicts::Writers, ..BY_PASSWORD },
        Request {
            name: "confirm with a passkey",
            body: Body::Json(r#"{"credential":{assertion}}"#),
            again: Some(Said::Sentence(NOT_CONFIRMED)),
            cost: Some("confirm with a passkey"),
            ..BY_PASSWORD
        },
        Request {
            name: "confirm with Google",
            caller: Caller::SignedInWithGoogle,
            body: Body::Json(r#"{"credential":"{credential}"}"#),
            cost: Some("confirm with Google"),
            is_swept: false,
            ..BY_PASSWORD
        },
    ],
    ..Endpoint::SIGNED
};

pub(super) const LOCK_ACCOUNT: Endpoint = Endpoint {
    name: "lock-account",
    path: paths::LOCK_ACCOUNT,
    empty: INVALID_TOKEN,
    sample: INVALID_TOKEN,
    requests: &[Request {
        name: "lock",
        path: paths::LOCK_ACCOUNT,
        prepare: |actor, stack| {
            Box::pin(async {
                actor.with_another_device().await;
                actor.visitor.exported_elsewhere().await;
                assert!(stack.deliver_changes().await);
                let token = actor.visitor.lock_tokens().await.swap_remove(0);
                actor.values.set("lock", token);
            })
        },
        body: Body::Form(&[("token", "{lock}")]),
        answer: Said::Sentence(LOCKED),
        again: Some(Said::Sentence(INVALID_TOKEN)),
        effect: Some(|actor, _| {
            Box::pin(async {
                actor.assert_ended().await;
                assert!(!actor.logs_in_with(PASSWORD).await);
                let tokens = actor.visitor.mailed_tokens().await;
                assert_eq!(actor.visitor.clone().reset(&tokens[0], PASSWORD).await.success(), true);
            })
        }),
        cost: Some("lock-account"),
        conflicts: Conflicts::Everything,
        ..Request::READ
    }],
    ..Endpoint::PUBLIC
};
