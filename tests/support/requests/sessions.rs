//! Sessions: who is signed in, the list, and their ends.

use std::time::Duration;

use super::{Body, Conflicts, Endpoint, Request, Said, SessionAfter, paths};
use crate::sentences::{INVALID_PARAMETERS, LOGGED_OUT, NO_SESSION};

/// Longer than the interval between updates of a session's last use.
const REST: Duration = Duration::from_mins(11);
/// What a request that reads a session and its account is combined with.
const ENDS: Conflicts = Conflicts::With(&[
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
]);

pub(super) const LOGOUT: Endpoint = Endpoint {
    name: "logout",
    path: paths::LOGOUT,
    empty: LOGGED_OUT,
    broken: LOGGED_OUT,
    sample: LOGGED_OUT,
    requests: &[Request {
        name: "logout",
        path: paths::LOGOUT,
        answer: Said::Sentence(LOGGED_OUT),
        session: SessionAfter::Ended,
        effect: Some(|actor, _| Box::pin(actor.assert_ended())),
        cost: Some("logout"),
        conflicts: Conflicts::Everything,
        ..Request::READ
    }],
    ..Endpoint::PUBLIC
};

const CHECK: Request = Request {
    path: paths::SESSION,
    effect: Some(|actor, _| Box::pin(async { assert_eq!(actor.visitor.clone().session().await.status, 200) })),
    ..Request::READ
};

pub(super) const SESSION: Endpoint = Endpoint {
    name: "session",
    path: paths::SESSION,
    broken: (200, ""),
    requests: &[
        Request { name: "session", cost: Some("session check"), conflicts: ENDS, ..CHECK },
        Request {
            name: "session after a rest",
            prepare: |_, stack| Box::pin(async { stack.advance(REST) }),
            cost: Some("the same, ten minutes later"),
            ..CHECK
        },
    ],
    ..Endpoint::SIGNED
};

pub(super) const LIST_SESSIONS: Endpoint = Endpoint {
    name: "list-sessions",
    path: paths::LIST_SESSIONS,
    broken: (200, ""),
    requests: &[Request {
        name: "list-sessions",
        path: paths::LIST_SESSIONS,
        cost: Some("list-sessions"),
        conflicts: ENDS,
        ..Request::READ
    }],
    ..Endpoint::SIGNED
};

pub(super) const ACTIVITY: Endpoint = Endpoint {
    name: "activity",
    path: paths::ACTIVITY,
    broken: (200, ""),
    requests: &[Request {
        name: "activity",
        path: paths::ACTIVITY,
        cost: Some("activity"),
        conflicts: Conflicts::Nothing,
        ..Request::READ
    }],
    ..Endpoint::SIGNED
};

const CLOSE: Request = Request {
    path: paths::CLOSE_SESSION,
    prepare: |actor, _| Box::pin(actor.with_another_device()),
    answer: Said::Sentence(LOGGED_OUT),
    effect: Some(|actor, _| Box::pin(actor.assert_ended())),
    conflicts: Conflicts::Everything,
    ..Request::READ
};

pub(super) const CLOSE_SESSION: Endpoint = Endpoint {
    name: "close-session",
    path: paths::CLOSE_SESSION,
    requests: &[
        Request {
            name: "close-others",
            body: Body::Form(&[("others", "on")]),
            again: Some(Said::Sentence(NO_SESSION)),
            session: SessionAfter::Opened,
            cost: Some("close-session"),
            ..CLOSE
        },
        Request {
            name: "close-one",
            body: Body::Form(&[("id", "{session}")]),
            again: Some(Said::Sentence(INVALID_PARAMETERS)),
            ..CLOSE
        },
    ],
    ..Endpoint::SIGNED
};
