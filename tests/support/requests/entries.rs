//! Entries, with and without a session.

use super::call::entry;
use super::{Actor, Body, Caller, Conflicts, Endpoint, Request, Said, paths};
use crate::sentences::{ACCESS_DENIED, DATA_SAVED, INVALID_JSON};
use crate::{Embedded, rows};

const BASE: Request = Request {
    path: paths::RECEIVE_DATA,
    body: Body::Entries(1),
    answer: Said::Sentence(DATA_SAVED),
    is_swept: false,
    ..Request::READ
};
/// Without a session.
const OF_NOBODY: Request = Request { caller: Caller::Stranger, ..BASE };

pub(super) const RECEIVE_DATA: Endpoint = Endpoint {
    name: "receive-data",
    path: paths::RECEIVE_DATA,
    forbidden: ACCESS_DENIED,
    empty: INVALID_JSON,
    broken: INVALID_JSON,
    sample: DATA_SAVED,
    requests: &[
        Request { name: "two entries", body: Body::Json(r#"[{"importe":12.5},{"importe":7}]"#), ..OF_NOBODY },
        Request { name: "one entry", cost: Some("data, one entry of 1 KB"), ..OF_NOBODY },
        Request { name: "25 entries", body: Body::Entries(25), cost: Some("data, 25 entries of 1 KB"), ..OF_NOBODY },
        Request {
            name: "25 entries of an account",
            body: Body::Entries(25),
            cost: Some("data of an account, 25 entries of 1 KB"),
            ..BASE
        },
        Request { name: "receive-data", conflicts: Conflicts::Everything, ..BASE },
        Request { name: "keyed-data", has_key: true, conflicts: Conflicts::With(&["stranger-data"]), ..BASE },
        Request { name: "stranger-data", has_key: true, conflicts: Conflicts::With(&["keyed-data"]), ..OF_NOBODY },
        // More entries than one batch can have.
        Request {
            name: "30 entries",
            body: Body::Entries(30),
            has_key: true,
            effect: Some(|actor, stack| Box::pin(assert_entries(actor, stack, 30))),
            is_swept: true,
            ..OF_NOBODY
        },
        // More entries than one transaction can have.
        Request {
            name: "120 entries of an account",
            body: Body::Entries(120),
            has_key: true,
            effect: Some(|actor, stack| Box::pin(assert_entries(actor, stack, 120))),
            is_swept: true,
            ..BASE
        },
    ],
};

/// Checks that each entry of the request is stored once, for the caller's account or for no account.
async fn assert_entries(actor: &Actor, stack: &Embedded, count: usize) {
    let profile = rows::profile(stack, &actor.visitor.email).await;
    let account = profile.map(|profile| rows::text(&profile, "id")).unwrap_or_default();
    let body = entry(&actor.values);
    let entries = stack.items("entries").await;
    let found: Vec<_> = entries.iter().filter(|entry| rows::text(entry, "body") == body).collect();
    assert_eq!(found.len(), count);
    assert!(found.iter().all(|entry| rows::text(entry, "account") == account), "entries of another owner");
}
