//! Events with generated bodies. Other members of some of them are changed too.

use std::string::FromUtf8Error;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use journeys::bodies::{FORM, JSON, MULTIPART};
use journeys::requests::{double_submit_cookie, event};
use journeys::{Visitor, changes, paths};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use super::bodies::Seed;

const METHODS: &[&str] = &["GET", "PUT", "post", "", "POST ", "\u{0}"];
const TYPES: &[&str] =
    &[FORM, JSON, MULTIPART, "text/plain", "", "application/json;charset=\"", "multipart/form-data", "multipart/form-"];
const HEADERS: &[&str] = &["host", "idempotency-key", "x-forwarded-for", "content-length", "X-Requested-With"];

/// The events of calls to an endpoint, as text.
pub(super) fn generated(path: &'static str, seeds: Vec<Seed>, ana: &Visitor) -> impl Strategy<Value = String> {
    let seed = select(seeds).prop_flat_map(|(content_type, seed)| (Just(content_type), changes::of([seed])));
    let members = (
        cookies(path, ana),
        prop::option::weighted(0.03, select(METHODS)),
        prop::option::weighted(0.12, prop_oneof![select(TYPES).prop_map(str::to_owned), changed(MULTIPART)]),
        prop::option::weighted(0.03, changed("XMLHttpRequest")),
        prop::option::weighted(0.12, (select(HEADERS), changed("api.example.com"))),
    );
    (seed, prop::bool::weighted(0.3), members).prop_map(move |((content_type, body), is_text, members)| {
        let (cookies, method, other_type, guard, header) = members;
        let mut event = event(path, other_type.as_deref().unwrap_or(content_type), "");
        match String::from_utf8(body) {
            Ok(text) if is_text => event["body"] = json!(text),
            text => {
                let body = text.map_or_else(FromUtf8Error::into_bytes, String::into_bytes);
                event["isBase64Encoded"] = json!(true);
                event["body"] = json!(STANDARD.encode(body));
            }
        }
        event["cookies"] = json!(cookies);
        if let Some(method) = method {
            event["requestContext"]["http"]["method"] = json!(method);
        }
        for (name, value) in guard.map(|value| ("x-requested-with", value)).into_iter().chain(header) {
            event["headers"][name] = json!(value);
        }
        event.to_string()
    })
}

/// The text, with a few changes.
fn changed(text: &str) -> impl Strategy<Value = String> + use<> {
    changes::of([text.to_owned()]).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// The cookies of a call. An endpoint that could end Ana's session gets a similar cookie instead, so that her session
/// stays live.
fn cookies(path: &str, ana: &Visitor) -> impl Strategy<Value = Vec<String>> + use<> {
    let session = ana.cookie.clone().unwrap();
    let ends = [paths::LOGIN, paths::LOGOUT, paths::CLOSE_SESSION, paths::DELETE_ACCOUNT];
    let ends = ends.into_iter().chain([paths::GOOGLE_LOGIN, paths::GOOGLE_REDIRECT]).any(|one| one == path);
    let similar = changed(&session).prop_map(|text| vec![double_submit_cookie(), format!("{text}A")]);
    prop_oneof![
        1 => Just(Vec::new()),
        1 => changed(&session).prop_map(|text| vec![text]),
        1 => changed("a=1; b=\"2\"").prop_map(|text| vec![double_submit_cookie(), text]),
        1 => Just(vec![session.clone(), session.clone()]),
        4 => if ends { similar.boxed() } else { Just(vec![session]).boxed() },
    ]
}
