//! A proof of who the caller is, and the lock of an account.

use super::{Body, Caller, Conflicts, Endpoint, Request, Said, paths};
use crate::sentences::{CONFIRMED, INVALID_TOKEN, LOCKED, NOT_CONFIRMED};
use crate::{Item, PASSWORD, rows};

const BY_PASSWORD: Request = Request {
    name: "confirm",
    path: paths::CONFIRM,
    body: Body::Form(&[("password", "{password}")]),
    answer: Said::Sentence(CONFIRMED),
    effect: Some(|actor, stack| {
        Box::pin(async {
            // The proofs of the logins are older than the one that was just given.
            let sessions = stack.items("accounts").await;
            let is_proved =
                |item: &&Item| item.contains_key("proved_at") && rows::text(item, "sk").starts_with("session#");
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

const LOCK: Request = Request {
    name: "lock",
    path: paths::LOCK_ACCOUNT,
    caller: Caller::Registered,
    prepare: |actor, stack| {
        Box::pin(async {
            actor.with_another_device().await;
            let token = stack.lock_token(&actor.visitor).await;
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
            // If the answer of the table was lost, there is no mail, and the owner asks for one.
            let mailed = actor.visitor.mailed_tokens().await.into_iter().next();
            let token = match mailed {
                Some(token) => token,
                None => actor.visitor.clone().reset_token().await,
            };
            assert_eq!(actor.visitor.clone().reset(&token, PASSWORD).await.success(), true);
        })
    }),
    ..Request::READ
};

pub(super) const LOCK_ACCOUNT: Endpoint = Endpoint {
    name: "lock-account",
    path: paths::LOCK_ACCOUNT,
    empty: INVALID_TOKEN,
    sample: INVALID_TOKEN,
    requests: &[
        Request { cost: Some("lock-account"), conflicts: Conflicts::Everything, ..LOCK },
        Request {
            name: "lock of an account with a passkey",
            prepare: |actor, stack| {
                Box::pin(async {
                    actor.with_another_device().await;
                    actor.with_passkey_elsewhere().await;
                    let token = stack.lock_token(&actor.visitor).await;
                    actor.values.set("lock", token);
                })
            },
            cost: Some("lock-account with a passkey"),
            ..LOCK
        },
    ],
    ..Endpoint::PUBLIC
};
