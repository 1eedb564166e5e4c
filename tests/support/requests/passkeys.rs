//! Passkeys: their options, registrations and logins, the list, and their removal.

use super::{Actor, Body, Conflicts, Endpoint, Request, Said, SessionAfter, paths};
use crate::sentences::{INVALID_PASSKEY, LOGGED_IN, NO_SESSION, PASSKEY_CREATED, PASSKEY_REFUSED, PASSKEY_REMOVED};
use crate::{Embedded, rows};

/// The prefix of the partition keys of challenges.
const CHALLENGE: &str = "challenge#";
/// What a registration of the first or the last possible passkey is combined with.
const ABOUT_LIMITS: Conflicts = Conflicts::With(&["close-others", "delete", "google"]);

/// A request that issues a challenge.
const ISSUING: Request = Request {
    effect: Some(|_, stack| {
        Box::pin(async {
            let items = stack.items("accounts").await;
            assert!(items.iter().any(|item| rows::text(item, "pk").starts_with(CHALLENGE)));
        })
    }),
    ..Request::READ
};
const OPTIONS: Request = Request { path: paths::PASSKEY_REGISTER_OPTIONS, ..ISSUING };

pub(super) const PASSKEY_REGISTER_OPTIONS: Endpoint = Endpoint {
    name: "passkey-register-options",
    path: paths::PASSKEY_REGISTER_OPTIONS,
    requests: &[
        Request {
            name: "options of a first passkey",
            is_swept: false,
            cost: Some("passkey-register-options"),
            ..OPTIONS
        },
        Request {
            name: "passkey-options",
            cost: Some("the same, of an account with a passkey"),
            prepare: |actor, _| {
                Box::pin(async {
                    actor.visitor.with_passkey().await;
                })
            },
            conflicts: Conflicts::With(&[
                "new-password",
                "close-others",
                "delete",
                "reset",
                "google",
                "google-redirect",
                "time",
                "long-time",
                "settings",
                "logout",
                "close-one",
                "passkey-register",
                "passkey-login",
                "remove-passkey",
            ]),
            ..OPTIONS
        },
    ],
    ..Endpoint::SIGNED
};

const CREATION: Request = Request {
    path: paths::PASSKEY_REGISTER,
    body: Body::Json(r#"{"credential":{attestation},"name":"Mi portátil"}"#),
    answer: Said::Sentence(PASSKEY_CREATED),
    again: Some(Said::Sentence(PASSKEY_REFUSED)),
    effect: Some(|actor, stack| Box::pin(assert_passkeys(actor, stack, 1))),
    ..Request::READ
};

pub(super) const PASSKEY_REGISTER: Endpoint = Endpoint {
    name: "passkey-register",
    path: paths::PASSKEY_REGISTER,
    requests: &[
        Request {
            name: "passkey-register",
            cost: Some("passkey-register"),
            conflicts: Conflicts::Everything,
            ..CREATION
        },
        Request { name: "first-passkey", is_swept: false, conflicts: ABOUT_LIMITS, ..CREATION },
        Request { name: "last-passkey", is_swept: false, conflicts: ABOUT_LIMITS, ..CREATION },
    ],
    ..Endpoint::SIGNED
};

pub(super) const PASSKEY_LOGIN_OPTIONS: Endpoint = Endpoint {
    name: "passkey-login-options",
    path: paths::PASSKEY_LOGIN_OPTIONS,
    empty: (200, ""),
    broken: (200, ""),
    sample: (200, ""),
    requests: &[Request {
        name: "options of a login",
        path: paths::PASSKEY_LOGIN_OPTIONS,
        cost: Some("passkey-login-options"),
        ..ISSUING
    }],
    ..Endpoint::PUBLIC
};

const ANSWER: Request = Request {
    path: paths::PASSKEY_LOGIN,
    body: Body::Json(r#"{"credential":{assertion}}"#),
    answer: Said::Sentence(LOGGED_IN),
    again: Some(Said::Sentence(INVALID_PASSKEY)),
    session: SessionAfter::Opened,
    effect: Some(|actor, _| Box::pin(actor.assert_ended())),
    ..Request::READ
};

pub(super) const PASSKEY_LOGIN: Endpoint = Endpoint {
    name: "passkey-login",
    path: paths::PASSKEY_LOGIN,
    sample: INVALID_PASSKEY,
    requests: &[
        Request { name: "passkey-login", cost: Some("passkey-login"), conflicts: Conflicts::Everything, ..ANSWER },
        Request {
            name: "passkey-again",
            is_swept: false,
            conflicts: Conflicts::With(&["passkey-login", "remove-passkey", "delete"]),
            ..ANSWER
        },
    ],
    ..Endpoint::PUBLIC
};

pub(super) const LIST_PASSKEYS: Endpoint = Endpoint {
    name: "list-passkeys",
    path: paths::LIST_PASSKEYS,
    broken: (200, ""),
    requests: &[Request {
        name: "list of passkeys",
        path: paths::LIST_PASSKEYS,
        cost: Some("list-passkeys"),
        ..Request::READ
    }],
    ..Endpoint::SIGNED
};

pub(super) const REMOVE_PASSKEY: Endpoint = Endpoint {
    name: "remove-passkey",
    path: paths::REMOVE_PASSKEY,
    requests: &[Request {
        name: "remove-passkey",
        path: paths::REMOVE_PASSKEY,
        body: Body::Form(&[("id", "{passkey}")]),
        answer: Said::Sentence(PASSKEY_REMOVED),
        again: Some(Said::Sentence(NO_SESSION)),
        session: SessionAfter::Opened,
        effect: Some(|actor, stack| Box::pin(assert_passkeys(actor, stack, 0))),
        cost: Some("remove-passkey"),
        conflicts: Conflicts::Everything,
        ..Request::READ
    }],
    ..Endpoint::SIGNED
};

/// Checks the number of passkeys in the list and in the profile.
async fn assert_passkeys(actor: &Actor, stack: &Embedded, count: usize) {
    if count > 0 {
        assert_eq!(actor.visitor.clone().passkeys().await.len(), count);
    } else {
        actor.assert_ended().await;
    }
    let profile = rows::profile(stack, &actor.visitor.email).await.unwrap();
    assert_eq!(profile.get("passkeys").map_or(0, |ids| ids.as_ss().unwrap().len()), count);
}
