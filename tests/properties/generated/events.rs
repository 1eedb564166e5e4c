//! Events of the gateway.

use properties::event;
use proptest::prelude::*;
use proptest::string::string_regex;
use serde_json::Value;

fn header() -> impl Strategy<Value = (String, String)> {
    ("(?i:x-requested-with|content-type|cookie|x-a)|\\PC{0,6}", "XMLHttpRequest|application/json|a=1; b|\\PC{0,12}")
}

/// A value that is unexpected at most places: of another type, out of range, or a lone surrogate.
fn odd() -> impl Strategy<Value = String> {
    let values = r#"null true -1.5e300 "" "x" [null] {"x":[1]} 1e999 "\ud800""#;
    prop::sample::select(values.split(' ').collect::<Vec<_>>()).prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = String> {
    let plain = string_regex("[A-Za-z0-9+/]{0,8}={0,2}|\\PC{0,10}").unwrap();
    prop_oneof![plain.prop_map(|text| Value::from(text).to_string()), escaped()]
}

/// A string with escapes, which include lone surrogates.
fn escaped() -> impl Strategy<Value = String> {
    let pieces = r#"\" \\ \/ \b \f \n \r \t \u0000 \u00f1 \uFFFF \ud83d \uDE00 \uD83D\ude00 u0041 ñ a YQ=="#;
    let texts = prop::collection::vec(prop::sample::select(pieces.split(' ').collect::<Vec<_>>()), 0..6);
    texts.prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

prop_compose! {
    /// An event that begins with its `requestContext`; the other members are in any order. Some have a wrong type,
    /// are missing, or are given twice.
    fn written()(
        headers in prop::collection::vec(header(), 0..6),
        cookies in prop::collection::vec("[a-z=; ]{0,8}", 0..3),
        method in "POST|GET|post|",
        body in text(),
        flag in any::<bool>(),
        odd in prop::option::weighted(0.2, (0..5_usize, odd())),
        kept in prop::collection::vec(0..6_usize, 3..9),
    ) -> String {
        let quoted = |text: &String| Value::from(text.as_str()).to_string();
        let pairs: Vec<String> = headers.iter().map(|(name, value)| format!("{}:{}", quoted(name), quoted(value))).collect();
        let mut values = [
            format!("{{{}}}", pairs.join(",")),
            Value::from(cookies).to_string(),
            body,
            flag.to_string(),
            format!("{{\"requestId\":\"r\",\"http\":{{\"method\":{}}}}}", quoted(&method)),
        ];
        if let Some((place, odd)) = odd {
            values[place] = odd;
        }
        let names = ["headers", "cookies", "body", "isBase64Encoded", "requestContext"];
        let members: Vec<String> = [4].into_iter().chain(kept).filter_map(|place| {
            Some(format!("\"{}\":{}", names.get(place)?, values[place]))
        }).collect();
        format!("{{{}}}", members.join(","))
    }
}

proptest! {
    #[test]
    fn an_event_is_read_correctly_or_refused(text in written()) {
        event::holds(text.as_bytes());
    }
}
