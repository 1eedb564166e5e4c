//! The change of an account's address.

use super::{Body, Caller, Conflicts, Endpoint, Request, Said, paths};
use crate::sentences::{CHANGE_SENT, EMAIL_CHANGED, INVALID_TOKEN};
use crate::{PASSWORD, Visitor};

pub(super) const CHANGE_EMAIL: Endpoint = Endpoint {
    name: "change-email",
    path: paths::CHANGE_EMAIL,
    requests: &[Request {
        name: "change-email",
        path: paths::CHANGE_EMAIL,
        body: Body::Form(&[("email", "{new-email}")]),
        answer: Said::Sentence(CHANGE_SENT),
        effect: Some(|actor, _| {
            Box::pin(async {
                let moved = Visitor { email: actor.visitor.new_email(), ..actor.visitor.elsewhere() };
                let token = moved.mailed_tokens().await.swap_remove(0);
                assert_eq!(actor.visitor.elsewhere().confirm_email(&token).await.success(), true);
                assert_eq!(moved.clone().login(PASSWORD).await.success(), true);
            })
        }),
        cost: Some("change-email"),
        conflicts: Conflicts::Everything,
        ..Request::READ
    }],
    ..Endpoint::SIGNED
};

const CONFIRM: Request = Request {
    name: "confirm-email",
    path: paths::CONFIRM_EMAIL,
    caller: Caller::Registered,
    prepare: |actor, _| Box::pin(actor.with_another_device()),
    body: Body::Form(&[("token", "{change}")]),
    answer: Said::Sentence(EMAIL_CHANGED),
    again: Some(Said::Sentence(INVALID_TOKEN)),
    effect: Some(|actor, _| {
        Box::pin(async {
            actor.assert_ended().await;
            assert!(!actor.logs_in_with(PASSWORD).await, "with the old address");
            let mut moved = Visitor { email: actor.visitor.new_email(), ..actor.visitor.elsewhere() };
            assert_eq!(moved.login(PASSWORD).await.success(), true, "with the new address");
        })
    }),
    ..Request::READ
};

pub(super) const CONFIRM_EMAIL: Endpoint = Endpoint {
    name: "confirm-email",
    path: paths::CONFIRM_EMAIL,
    empty: INVALID_TOKEN,
    sample: INVALID_TOKEN,
    requests: &[
        Request { cost: Some("confirm-email"), conflicts: Conflicts::Everything, ..CONFIRM },
        Request {
            name: "confirm-email of an account that has moved before",
            prepare: |actor, _| {
                Box::pin(async {
                    let mut moving = actor.visitor.elsewhere();
                    moving.login(PASSWORD).await;
                    let email = format!("x{}", moving.email);
                    actor.visitor = moving.moved_to(&email).await.elsewhere();
                    actor.with_another_device().await;
                })
            },
            ..CONFIRM
        },
    ],
    ..Endpoint::PUBLIC
};
