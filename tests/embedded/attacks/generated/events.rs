//! Events with generated bodies. Other members of some of them are changed too.

use std::string::FromUtf8Error;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use journeys::bodies::{FORM, JSON, MULTIPART};
use journeys::requests::{double_submit_cookie, event};
use journeys::{Visitor, paths};
use serde_json::json;

use super::bodies::Seed;
use super::dice::Dice;

const METHODS: [&str; 6] = ["GET", "PUT", "post", "", "POST ", "\u{0}"];
const TYPES: [&str; 7] =
    [FORM, JSON, MULTIPART, "text/plain", "", "application/json;charset=\"", "multipart/form-data"];
const HEADERS: [&str; 5] = ["host", "idempotency-key", "x-forwarded-for", "content-length", "X-Requested-With"];

/// The event of one call as text.
pub(super) fn generated(dice: &mut Dice, path: &str, seeds: &[Seed], ana: &Visitor) -> String {
    let (content_type, seed) = dice.one(seeds);
    let body = dice.changed(seed);
    let mut event = event(path, content_type, "");
    match String::from_utf8(body) {
        Ok(text) if dice.once_in(3) => event["body"] = json!(text),
        text => {
            let body = text.map_or_else(FromUtf8Error::into_bytes, String::into_bytes);
            event["isBase64Encoded"] = json!(true);
            event["body"] = json!(STANDARD.encode(body));
        }
    }
    event["cookies"] = json!(cookies(dice, path, ana));
    if dice.once_in(32) {
        event["requestContext"]["http"]["method"] = json!(dice.one(&METHODS));
    }
    match dice.below(16) {
        0 => event["headers"]["content-type"] = json!(dice.one(&TYPES)),
        1 => event["headers"]["content-type"] = json!(dice.changed_text(content_type)),
        _ => {}
    }
    if dice.once_in(32) {
        event["headers"]["x-requested-with"] = json!(dice.changed_text("XMLHttpRequest"));
    }
    if dice.once_in(8) {
        event["headers"][dice.one(&HEADERS)] = json!(dice.changed_text("api.example.com"));
    }
    event.to_string()
}

/// The cookies of a call. An endpoint that could end Ana's session gets a similar cookie instead, so that her session
/// stays live.
fn cookies(dice: &mut Dice, path: &str, ana: &Visitor) -> Vec<String> {
    let session = ana.cookie.clone().unwrap();
    let ends = [
        paths::LOGIN,
        paths::LOGOUT,
        paths::CLOSE_SESSION,
        paths::DELETE_ACCOUNT,
        paths::GOOGLE_LOGIN,
        paths::GOOGLE_REDIRECT,
    ];
    match dice.below(8) {
        0 => Vec::new(),
        1 => vec![dice.changed_text(&session)],
        2 => vec![double_submit_cookie(), dice.changed_text("a=1; b=\"2\"")],
        3 => vec![session.clone(), session],
        _ if ends.contains(&path) => vec![double_submit_cookie(), format!("{}A", dice.changed_text(&session))],
        _ => vec![session],
    }
}
