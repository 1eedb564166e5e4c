//! A proof of who the caller is, and the lock of an account.

use super::actor::sign_in_with_google;
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
    effect: Some(|actor, stack| {
        Box::pin(async {
            actor.assert_ended().await;
            assert!(!actor.logs_in_with(PASSWORD).await);
            // If the answer of the table was lost, there is no mail, and the owner asks for one.
            let is_mailed = stack.service.mails(&actor.visitor.email).await.len() > actor.mails;
            let mailed = actor.visitor.mailed_tokens().await.into_iter().next().filter(|_| is_mailed);
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
        Request {
            name: "lock after a change of address",
            prepare: |actor, stack| {
                Box::pin(async {
                    // Another account lies under the key of the address, so a pointer leads to this one.
                    let other = stack.service.visitor().signed_in().await;
                    actor.visitor = other.elsewhere();
                    let new = other.new_email();
                    other.moved_to(&new).await;
                    actor.visitor = actor.visitor.clone().registered().await;
                    // An address that nobody has proved is told once.
                    let token = actor.visitor.verification_token().await;
                    actor.visitor.verify(&token).await;
                    actor.with_another_device().await;
                    // Whoever has changed the address links a Google account of theirs.
                    let mut thief = actor.before.clone().moved_to(&format!("x{new}")).await.elsewhere();
                    sign_in_with_google(stack, &mut thief).await;
                    assert!(stack.deliver_changes().await);
                    // Both accounts have left the address, and each has a notice.
                    let cookie = actor.before.cookie.clone().unwrap_or_default();
                    let key = cookie.split(['=', '.']).nth(1).unwrap_or_default();
                    let tokens = actor.visitor.lock_tokens().await;
                    let token = tokens.into_iter().find(|token| token.starts_with(key));
                    actor.values.set("lock", token.unwrap_or_default());
                })
            },
            ..LOCK
        },
    ],
    ..Endpoint::PUBLIC
};
