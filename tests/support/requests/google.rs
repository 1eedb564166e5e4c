//! Logins with Google, with a credential that a script sends, and in redirect mode, and the removal of the link.

use serde_json::json;

use super::actor::sign_in_with_google;
use super::values::{LINKED, sub};
use super::{Body, Caller, Conflicts, Endpoint, Request, Said, SessionAfter, paths};
use crate::sentences::{GOOGLE_UNLINKED, INVALID_CREDENTIAL, NO_SESSION};
use crate::{PASSWORD, rows};

const BASE: Request = Request {
    path: paths::GOOGLE_LOGIN,
    body: Body::Json(r#"{"credential":"{credential}"}"#),
    answer: Said::Google("exists"),
    session: SessionAfter::Opened,
    ..Request::READ
};
const NEW: Request =
    Request { caller: Caller::Stranger, answer: Said::Google("inserted"), again: Some(Said::Google("exists")), ..BASE };
/// A login of a known identity on a new device.
const KNOWN: Request = Request {
    caller: Caller::SignedInWithGoogle,
    prepare: |actor, _| Box::pin(async { actor.visitor.cookie = None }),
    ..BASE
};

pub(super) const GOOGLE_LOGIN: Endpoint = Endpoint {
    name: "google-login",
    path: paths::GOOGLE_LOGIN,
    sample: INVALID_CREDENTIAL,
    requests: &[
        Request {
            name: "google that links an unverified address",
            cost: Some("Google login, link to an account"),
            effect: Some(|actor, stack| {
                Box::pin(async {
                    actor.assert_ended().await;
                    assert!(!actor.logs_in_with(PASSWORD).await);
                    assert!(stack.deliver_changes().await);
                    let mails = stack.service.mails(&actor.visitor.email).await.len();
                    assert_eq!(mails, actor.mails + 1, "the owner is notified once");
                })
            }),
            ..BASE
        },
        Request { name: "google of a known identity", cost: Some("Google login"), ..KNOWN },
        Request { name: "google", cost: Some("Google login, new account"), conflicts: Conflicts::Everything, ..NEW },
        Request {
            name: "google after a change of address",
            cost: Some("Google login after a change of address"),
            prepare: |actor, _| {
                Box::pin(async {
                    let visitor = &mut actor.visitor;
                    visitor.cookie = None;
                    let claims = json!({"sub": sub(visitor), "email": format!("moved-{}", visitor.email)});
                    actor.values.set("credential", visitor.credential(claims).await);
                })
            },
            ..KNOWN
        },
    ],
    ..Endpoint::PUBLIC
};

/// The form of Google's page.
const PAGE: Body = Body::ProviderPage(&[("credential", "{credential}")]);

pub(super) const GOOGLE_REDIRECT: Endpoint = Endpoint {
    name: "google-redirect",
    path: paths::GOOGLE_REDIRECT,
    sample: (303, ""),
    requests: &[
        Request {
            name: "google-redirect",
            path: paths::GOOGLE_REDIRECT,
            body: PAGE,
            answer: Said::Redirect,
            again: None,
            conflicts: Conflicts::With(&[
                "register",
                "login",
                "delete",
                "verify",
                "google",
                "new-password",
                "reset",
                "close-others",
                "passkey-register",
            ]),
            ..NEW
        },
        Request {
            name: "google-redirect of a known identity",
            path: paths::GOOGLE_REDIRECT,
            body: PAGE,
            answer: Said::Redirect,
            is_swept: false,
            cost: Some("Google login, redirect mode"),
            ..KNOWN
        },
    ],
    ..Endpoint::PUBLIC
};

pub(super) const UNLINK_GOOGLE: Endpoint = Endpoint {
    name: "unlink-google",
    path: paths::UNLINK_GOOGLE,
    requests: &[Request {
        name: "unlink-google",
        path: paths::UNLINK_GOOGLE,
        answer: Said::Sentence(GOOGLE_UNLINKED),
        again: Some(Said::Sentence(NO_SESSION)),
        session: SessionAfter::Opened,
        // The link of an unverified address removes the password, so a passkey is the other way in.
        prepare: |actor, stack| {
            Box::pin(async {
                sign_in_with_google(stack, &mut actor.visitor).await;
                actor.visitor.with_passkey().await;
                actor.before = actor.visitor.clone();
                actor.values.set(LINKED, "yes");
            })
        },
        effect: Some(|actor, stack| {
            Box::pin(async {
                actor.assert_ended().await;
                let profile = rows::profile(stack, &actor.visitor.email).await.unwrap();
                assert_eq!(profile.get("google_sub"), None);
                let link = format!("google#{}", sub(&actor.visitor));
                assert!(stack.items("accounts").await.iter().all(|item| rows::text(item, "pk") != link));
            })
        }),
        cost: Some("unlink-google"),
        conflicts: Conflicts::Everything,
        ..Request::READ
    }],
    ..Endpoint::SIGNED
};
