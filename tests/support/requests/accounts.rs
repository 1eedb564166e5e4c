//! Registration, settings, the export and the deletion of an account.

use super::{Body, Caller, Conflicts, Endpoint, Request, Said, SessionAfter, paths};
use crate::sentences::{CONFIGURED, DELETED, EMAIL_TAKEN, NO_SESSION, NO_SESSION_EMAIL, REGISTERED};
use crate::{PASSWORD, rows};

/// The number of sessions that are added to an account before its deletion. They do not fit into one transaction.
const SESSIONS: usize = 120;

pub(super) const REGISTER: Endpoint = Endpoint {
    name: "register",
    path: paths::REGISTER,
    sample: REGISTERED,
    requests: &[Request {
        name: "register",
        path: paths::REGISTER,
        caller: Caller::Stranger,
        body: Body::Form(&[
            ("nombre", "{name}"),
            ("email", "{email}"),
            ("password", "{password}"),
            ("confirm-password", "{password}"),
            ("terms", "on"),
            ("notifications", "{news?}"),
        ]),
        answer: Said::Sentence(REGISTERED),
        again: Some(Said::Sentence(EMAIL_TAKEN)),
        effect: Some(|actor, _| Box::pin(async { assert!(actor.logs_in_with(PASSWORD).await) })),
        cost: Some("registration"),
        conflicts: Conflicts::Everything,
        ..Request::READ
    }],
    ..Endpoint::PUBLIC
};

const SETTINGS: Request = Request {
    path: paths::USER_CONFIG,
    body: Body::Form(&[("name", "{new-name}"), ("avatar", "{avatar?}"), ("notifications", "{news?}")]),
    answer: Said::Sentence(CONFIGURED),
    conflicts: Conflicts::Everything,
    ..Request::READ
};

pub(super) const USER_CONFIG: Endpoint = Endpoint {
    name: "user-config",
    path: paths::USER_CONFIG,
    requests: &[
        Request {
            name: "settings",
            effect: Some(|actor, _| {
                Box::pin(async {
                    assert_eq!(actor.visitor.clone().session().await.user("name"), actor.values.get("new-name"));
                })
            }),
            cost: Some("settings"),
            ..SETTINGS
        },
        Request {
            name: "new-password",
            body: Body::Form(&[
                ("name", "{new-name}"),
                ("avatar", "{avatar?}"),
                ("password", "{new-password}"),
                ("confirm_password", "{new-password}"),
                ("notifications", "{news?}"),
            ]),
            again: Some(Said::Sentence(NO_SESSION)),
            session: SessionAfter::Opened,
            effect: Some(|actor, _| {
                Box::pin(async {
                    actor.assert_ended().await;
                    let mut elsewhere = actor.visitor.elsewhere();
                    let login = elsewhere.login(actor.values.get("new-password")).await;
                    assert_eq!(login.user("name"), actor.values.get("new-name"));
                    assert!(!actor.logs_in_with(PASSWORD).await);
                })
            }),
            cost: Some("settings, new password"),
            ..SETTINGS
        },
    ],
    ..Endpoint::SIGNED
};

pub(super) const EXPORT_ACCOUNT: Endpoint = Endpoint {
    name: "export-account",
    path: paths::EXPORT_ACCOUNT,
    requests: &[Request {
        name: "export",
        path: paths::EXPORT_ACCOUNT,
        body: Body::Form(&[("cursor", "")]),
        effect: Some(|actor, stack| {
            Box::pin(async {
                // Its owner is told.
                let profile = rows::profile(stack, &actor.visitor.email).await.unwrap();
                assert!(profile.contains_key("exported_at"));
            })
        }),
        cost: Some("export-account"),
        conflicts: Conflicts::Writers,
        ..Request::READ
    }],
    ..Endpoint::SIGNED
};

const DELETE: Request = Request {
    path: paths::DELETE_ACCOUNT,
    answer: Said::Sentence(DELETED),
    again: Some(Said::Sentence(NO_SESSION_EMAIL)),
    session: SessionAfter::Ended,
    effect: Some(|actor, stack| {
        Box::pin(async {
            actor.assert_ended().await;
            let pk = rows::partition_key(&actor.visitor.email);
            let all = format!("{:?}", stack.items("accounts").await);
            assert!(!all.contains(&pk) && !all.contains(&actor.visitor.email), "{all}");
        })
    }),
    ..Request::READ
};

pub(super) const DELETE_ACCOUNT: Endpoint = Endpoint {
    name: "delete-account",
    path: paths::DELETE_ACCOUNT,
    empty: NO_SESSION_EMAIL,
    broken: DELETED,
    sample: NO_SESSION_EMAIL,
    requests: &[
        Request {
            name: "delete",
            is_swept: false,
            cost: Some("deletion, one session"),
            conflicts: Conflicts::Everything,
            ..DELETE
        },
        Request {
            name: "deletion of a passkey",
            prepare: |actor, _| Box::pin(async { actor.with_passkey_elsewhere().await }),
            is_swept: false,
            ..DELETE
        },
        Request {
            name: "deletion of many sessions",
            caller: Caller::SignedInWithGoogle,
            prepare: |actor, stack| Box::pin(async { rows::copy_session(stack, &actor.visitor.email, SESSIONS).await }),
            ..DELETE
        },
    ],
    ..Endpoint::SIGNED
};
