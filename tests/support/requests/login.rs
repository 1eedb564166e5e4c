//! Logins with a password, and the challenge for a proof of work.

use aws_sdk_dynamodb::types::AttributeValue;
use axum::Router;

use super::{Actor, Body, Caller, Conflicts, Endpoint, Request, Said, SessionAfter, paths};
use crate::sentences::{EMAIL_MISSING, LOGGED_IN, WRONG_CREDENTIALS};
use crate::{Embedded, PASSWORD, proofs, rows, serve};

/// The bcrypt hash of [`PASSWORD`], made by PHP.
const LEGACY_HASH: &str = "$2y$04$KOSct5zT1ejcvtGR34lZueuhF1XMXS1sT0VcO8KNDLaYIv7ANNE6q";
/// What a login with a limit of failures is combined with.
const ABOUT_LIMITS: Conflicts =
    Conflicts::With(&["limited-login", "new-password", "close-others", "delete", "reset", "google"]);

const BASE: Request = Request {
    path: paths::LOGIN,
    caller: Caller::Registered,
    body: Body::Form(&[("email", "{email}"), ("password", "{password}")]),
    answer: Said::Sentence(LOGGED_IN),
    session: SessionAfter::Opened,
    ..Request::READ
};
/// A login with a proof of work, or with a token of a captcha.
const PROVED: Request = Request {
    body: Body::Form(&[("email", "{email}"), ("password", "{password}"), ("g-captcha-response", "{proof}")]),
    ..BASE
};
/// A login that replaces the stored hash.
const UPGRADE: Request = Request {
    effect: Some(|actor, stack| {
        Box::pin(async {
            let profile = rows::profile(stack, &actor.visitor.email).await.unwrap();
            let cost = if actor.request.needs_full_cost { "v=19$m=19456,t=2,p=1$" } else { "" };
            let hash = rows::text(&profile, "password");
            assert!(hash.starts_with(&format!("$argon2id${cost}")), "{hash}");
        })
    }),
    ..BASE
};

pub(super) const LOGIN: Endpoint = Endpoint {
    name: "login",
    path: paths::LOGIN,
    empty: EMAIL_MISSING,
    sample: LOGGED_IN,
    requests: &[
        Request { name: "login", cost: Some("login"), conflicts: Conflicts::Everything, ..BASE },
        Request { name: "known-login", is_swept: false, conflicts: Conflicts::Everything, ..BASE },
        Request {
            name: "login with a wrong password",
            body: Body::Form(&[("email", "{email}"), ("password", "{new-password}")]),
            answer: Said::Sentence(WRONG_CREDENTIALS),
            is_swept: false,
            cost: Some("login, wrong password"),
            ..BASE
        },
        Request {
            name: "login in place of a session",
            caller: Caller::SignedIn,
            effect: Some(|actor, _| Box::pin(actor.assert_ended())),
            cost: Some("login in place of a session"),
            ..BASE
        },
        Request {
            name: "login within a limit",
            // A login that fails and is repeated may be counted twice, so the limit is high.
            settings: &[("LOGIN_MAX_FAILURES", "20")],
            cost: Some("login where failures are limited"),
            ..BASE
        },
        Request { name: "limited-login", is_swept: false, conflicts: ABOUT_LIMITS, ..BASE },
        Request { name: "limited-wrong", is_swept: false, conflicts: ABOUT_LIMITS, ..BASE },
        Request {
            name: "upgrade-login",
            needs_full_cost: true,
            prepare: |actor, stack| Box::pin(set_hash(actor, stack, rows::weak_hash(PASSWORD))),
            conflicts: Conflicts::With(&[
                "login",
                "delete",
                "google",
                "import",
                "new-password",
                "reset",
                "close-others",
            ]),
            ..UPGRADE
        },
        Request {
            name: "login with a legacy hash",
            prepare: |actor, stack| Box::pin(set_hash(actor, stack, LEGACY_HASH.to_owned())),
            ..UPGRADE
        },
        Request {
            name: "login with a captcha",
            settings: &[("CAPTCHA_SECRET", "s3cret")],
            prepare: |actor, stack| {
                Box::pin(async {
                    let provider = serve(Router::new().fallback(async || r#"{"success":true}"#)).await;
                    stack.captcha.forward_to(&provider);
                    actor.values.set("proof", "token");
                })
            },
            ..PROVED
        },
        Request {
            name: "login with a proof of work",
            settings: &proofs::SETTINGS,
            prepare: |actor, _| {
                Box::pin(async {
                    actor.values.set("proof", proofs::proof(&actor.visitor).await);
                    actor.values.set("next-proof", proofs::proof(&actor.visitor).await);
                })
            },
            cost: Some("login with a proof of work"),
            ..PROVED
        },
        Request {
            name: "login of a new browser",
            settings: &[("NOTICES", "on")],
            effect: Some(|actor, stack| {
                Box::pin(async {
                    let profile = rows::profile(stack, &actor.visitor.email).await.unwrap();
                    assert!(profile.contains_key("browsers"));
                })
            }),
            ..BASE
        },
    ],
    ..Endpoint::PUBLIC
};

pub(super) const CAPTCHA: Endpoint = Endpoint {
    name: "captcha",
    path: paths::CAPTCHA,
    requests: &[Request {
        name: "challenge",
        path: paths::CAPTCHA,
        settings: &proofs::SETTINGS,
        cost: Some("challenge"),
        ..Request::READ
    }],
    ..Endpoint::PUBLIC
};

async fn set_hash(actor: &Actor, stack: &Embedded, hash: String) {
    let profile = rows::profile(stack, &actor.visitor.email).await.unwrap();
    rows::put(stack, rows::with(&profile, "password", Some(AttributeValue::S(hash)))).await;
}
