//! The answers of the data endpoint.

use journeys::sentences::{DATA_SAVED, INVALID_JSON, INVALID_PARAMETERS, owned_sentence};
use journeys::{Service, Visitor, paths};

/// The status and message of the answer to a body.
async fn answer_to(visitor: &mut Visitor, body: &str) -> (u16, String) {
    let answer = visitor.json(paths::RECEIVE_DATA, body).await;
    assert_eq!(answer.success(), answer.sentence() == owned_sentence(DATA_SAVED), "{answer:?}");
    assert!(answer.set_cookies().is_empty(), "{answer:?}");
    answer.sentence()
}

#[tokio::test]
async fn objects_of_any_shape_and_lists_of_them_are_saved() {
    let mut ana = Service::shared().visitor();
    for body in [
        "{}",
        "[]",
        "\r\n\t {\"a\" : {\"b\" : [1, null]}} \r\n\t ",
        r#"[{"a":1},{"b":[]},{}]"#,
        "{\"año\":\"ñ😀\u{2028}\"}",
    ] {
        assert_eq!(answer_to(&mut ana, body).await, owned_sentence(DATA_SAVED), "{body}");
    }
}

#[tokio::test]
async fn json_other_than_an_object_or_a_list_of_objects_is_refused() {
    let mut ana = Service::shared().visitor();
    for body in ["1", "\"text\"", "null", "[{},1]", "[[{}]]", "[\"{}\"]"] {
        assert_eq!(answer_to(&mut ana, body).await, owned_sentence(INVALID_PARAMETERS), "{body}");
    }
}

#[tokio::test]
async fn a_body_that_is_not_json_has_its_own_message() {
    let mut ana = Service::shared().visitor();
    for body in ["", "{", "{}{}", "[{},]", "{a:1}", "{\"a\":NaN}", "{\"a\":\"\n\"}", "\u{feff}{}", "{}\u{0}", "a=1"] {
        assert_eq!(answer_to(&mut ana, body).await, owned_sentence(INVALID_JSON), "{body:?}");
    }
}

#[tokio::test]
async fn bytes_that_are_not_utf_8_are_refused_as_invalid_json() {
    let mut ana = Service::shared().visitor();
    for body in [&b"{\"a\":\"\xff\"}"[..], b"{\"\xed\xa0\x80\":1}", b"\xff\xfe{\0}\0", b"{\"a\":\"\xc0\x80\"}"] {
        let request = ana.request(paths::RECEIVE_DATA).header("content-type", "application/json").body(body.to_vec());
        assert_eq!(ana.send(request).await.sentence(), owned_sentence(INVALID_JSON), "{body:?}");
    }
}
