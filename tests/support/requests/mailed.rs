//! Links in mails: to set a new password, and to verify an address.

use aws_sdk_dynamodb::types::AttributeValue;

use super::actor::sign_in_with_google;
use super::{Body, Caller, Conflicts, Endpoint, Request, Said, paths};
use crate::sentences::{
    EMAIL_MISSING, INVALID_TOKEN, LINK_SENT, RESET, UNKNOWN_EMAIL, VERIFICATION_SENT, VERIFIED, WEAK,
};
use crate::{PASSWORD, rows};

const LINK: Request = Request {
    path: paths::SEND_RESET_LINK,
    caller: Caller::Registered,
    body: Body::Form(&[("email", "{email}")]),
    answer: Said::Sentence(LINK_SENT),
    ..Request::READ
};

pub(super) const SEND_RESET_LINK: Endpoint = Endpoint {
    name: "send-reset-link",
    path: paths::SEND_RESET_LINK,
    empty: EMAIL_MISSING,
    sample: LINK_SENT,
    requests: &[
        Request {
            name: "reset-link",
            effect: Some(|actor, _| {
                Box::pin(async {
                    let tokens = actor.visitor.mailed_tokens().await;
                    assert!(tokens.len() > actor.mails);
                    let password = actor.values.get("new-password");
                    assert_eq!(actor.visitor.clone().reset(&tokens[0], password).await.success(), true);
                })
            }),
            cost: Some("reset link"),
            conflicts: Conflicts::Everything,
            ..LINK
        },
        Request {
            name: "reset-link for an unknown address",
            caller: Caller::Stranger,
            answer: Said::Sentence(UNKNOWN_EMAIL),
            is_swept: false,
            cost: Some("reset link, unknown address"),
            ..LINK
        },
    ],
    ..Endpoint::PUBLIC
};

const NEW_PASSWORD: Request = Request {
    name: "reset",
    path: paths::RESET_PASSWORD,
    caller: Caller::Registered,
    prepare: |actor, _| Box::pin(actor.with_another_device()),
    body: Body::Form(&[
        ("token", "{token}"),
        ("new_password", "{new-password}"),
        ("confirm_password", "{new-password}"),
    ]),
    answer: Said::Sentence(RESET),
    again: Some(Said::Sentence(INVALID_TOKEN)),
    effect: Some(|actor, _| {
        Box::pin(async {
            actor.assert_ended().await;
            let (token, password) = (actor.values.get("token"), actor.values.get("new-password"));
            assert!(actor.logs_in_with(password).await && !actor.logs_in_with(PASSWORD).await);
            assert_eq!(actor.visitor.clone().reset(token, PASSWORD).await.success(), false);
        })
    }),
    ..Request::READ
};

const THOROUGH: Request = Request {
    name: "reset that removes passkeys",
    body: Body::Form(&[
        ("token", "{token}"),
        ("new_password", "{new-password}"),
        ("confirm_password", "{new-password}"),
        ("passkeys", "remove"),
    ]),
    ..NEW_PASSWORD
};

pub(super) const RESET_PASSWORD: Endpoint = Endpoint {
    name: "reset-password",
    path: paths::RESET_PASSWORD,
    empty: WEAK,
    sample: INVALID_TOKEN,
    requests: &[
        Request { cost: Some("reset"), conflicts: Conflicts::Everything, ..NEW_PASSWORD },
        Request {
            prepare: |actor, _| {
                Box::pin(async {
                    actor.with_another_device().await;
                    actor.with_passkey_elsewhere().await;
                })
            },
            cost: Some("reset that removes passkeys"),
            ..THOROUGH
        },
        Request {
            name: "reset that removes passkeys and unlinks Google",
            prepare: |actor, stack| {
                Box::pin(async {
                    let mut moving = actor.visitor.elsewhere();
                    moving.login(PASSWORD).await;
                    let email = format!("x{}", moving.email);
                    actor.visitor = moving.moved_to(&email).await.elsewhere();
                    sign_in_with_google(stack, &mut actor.visitor.elsewhere()).await;
                    actor.with_another_device().await;
                })
            },
            ..THOROUGH
        },
    ],
    ..Endpoint::PUBLIC
};

pub(super) const SEND_VERIFICATION: Endpoint = Endpoint {
    name: "send-verification",
    path: paths::SEND_VERIFICATION,
    broken: VERIFICATION_SENT,
    requests: &[Request {
        name: "send-verification",
        path: paths::SEND_VERIFICATION,
        answer: Said::Sentence(VERIFICATION_SENT),
        effect: Some(|actor, _| {
            Box::pin(async {
                let tokens = actor.visitor.mailed_tokens().await;
                assert!(tokens.len() > actor.mails);
                assert_eq!(actor.visitor.clone().verify(&tokens[0]).await.success(), true);
            })
        }),
        cost: Some("send-verification"),
        conflicts: Conflicts::Everything,
        ..Request::READ
    }],
    ..Endpoint::SIGNED
};

pub(super) const VERIFY_EMAIL: Endpoint = Endpoint {
    name: "verify-email",
    path: paths::VERIFY_EMAIL,
    empty: INVALID_TOKEN,
    sample: INVALID_TOKEN,
    requests: &[Request {
        name: "verify",
        path: paths::VERIFY_EMAIL,
        body: Body::Form(&[("token", "{verification}")]),
        answer: Said::Sentence(VERIFIED),
        again: Some(Said::Sentence(INVALID_TOKEN)),
        effect: Some(|actor, stack| {
            Box::pin(async {
                let profile = rows::profile(stack, &actor.visitor.email).await.unwrap();
                assert_eq!(profile["email_verified"], AttributeValue::Bool(true));
                let token = actor.values.get("verification");
                assert_eq!(actor.visitor.clone().verify(token).await.success(), false);
            })
        }),
        cost: Some("verify-email"),
        conflicts: Conflicts::Everything,
        ..Request::READ
    }],
    ..Endpoint::PUBLIC
};
