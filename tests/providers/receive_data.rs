//! The answers of the data endpoint.

use journeys::sentences::{ACCESS_DENIED, DATA_SAVED, INVALID_JSON, INVALID_PARAMETERS, owned_sentence};
use journeys::{Service, Visitor, paths};

/// The status and message of the answer to a body.
async fn answer_to(visitor: &mut Visitor, body: &str) -> (u16, String) {
    let answer = visitor.json(paths::RECEIVE_DATA, body).await;
    assert_eq!(answer.success(), answer.sentence() == owned_sentence(DATA_SAVED), "{answer:?}");
    assert!(answer.set_cookies().is_empty(), "{answer:?}");
    answer.sentence()
}

#[tokio::test]
async fn an_object_is_saved() {
    let answer = Service::shared().visitor().json(paths::RECEIVE_DATA, r#"{"a":1}"#).await;
    insta::assert_snapshot!(answer.whole(), @r#"
    200
    cache-control: no-store
    content-type: application/json; charset=utf-8
    x-content-type-options: nosniff
    {
      "success": true,
      "message": "Data saved successfully"
    }
    "#);
}

#[tokio::test]
async fn objects_of_any_shape_and_lists_of_them_are_saved() {
    let mut ana = Service::shared().visitor();
    for body in [
        "{}",
        "[]",
        " [ ] ",
        "[{}]",
        "\r\n\t {\"a\" : {\"b\" : [1, null, \"c\"]}} \r\n\t ",
        r#"[{"a":1},{"b":[]},{}]"#,
        r#"{"success":false,"message":"x","id":"y"}"#,
        "{\"año\":\"ñ😀\u{2028}\u{7f}\"}",
    ] {
        assert_eq!(answer_to(&mut ana, body).await, owned_sentence(DATA_SAVED), "{body}");
    }
}

#[tokio::test]
async fn json_other_than_an_object_or_a_list_of_objects_is_refused() {
    let mut ana = Service::shared().visitor();
    for body in ["1", "-0", "\"text\"", "null", "true", "[1]", "[{},1]", "[{},null]", "[[{}]]", "[[]]", "[\"{}\"]"] {
        assert_eq!(answer_to(&mut ana, body).await, owned_sentence(INVALID_PARAMETERS), "{body}");
    }
}

#[tokio::test]
async fn a_body_that_is_not_json_has_its_own_message() {
    let mut ana = Service::shared().visitor();
    for body in [
        "",
        " ",
        "{",
        "}",
        "[{}",
        "{}{}",
        "{} {}",
        "{},",
        "[{},]",
        "[,{}]",
        "{\"a\":1,}",
        "{\"a\" 1}",
        "{\"a\":}",
        "{a:1}",
        "{'a':1}",
        "{\"a\":NaN}",
        "{\"a\":Infinity}",
        "{\"a\":+1}",
        "{\"a\":01}",
        "{\"a\":1.}",
        "{\"a\":.5}",
        "{\"a\":0x1}",
        "{\"a\":undefined}",
        "{\"a\":\"\n\"}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12\"}",
        "{\"a\":tru}",
        "// {}\n{}",
        "/**/{}",
        "\u{feff}{}",
        "\u{a0}{}",
        "{}\u{0}",
        "a=1",
        "<a/>",
    ] {
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

#[tokio::test]
async fn only_bodies_with_the_json_media_type_are_read() {
    let mut ana = Service::shared().visitor();
    let post = |ana: &Visitor| ana.request(paths::RECEIVE_DATA).body("{\"a\":1}");
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json"] {
        let request = post(&ana).header("content-type", kind);
        assert_eq!(ana.send(request).await.sentence(), owned_sentence(INVALID_JSON), "{kind}");
    }
    let request = post(&ana);
    assert_eq!(ana.send(request).await.sentence(), owned_sentence(INVALID_JSON), "no type");
    for kind in ["application/json; charset=utf-8", "Application/JSON"] {
        let request = post(&ana).header("content-type", kind);
        assert_eq!(ana.send(request).await.success(), true, "{kind}");
    }
}

#[tokio::test]
async fn without_the_header_access_is_denied() {
    let ana = Service::shared().visitor();
    for value in [None, Some(""), Some("xmlhttprequest"), Some("XMLHttpRequest,XMLHttpRequest")] {
        let request = ana.service.request("POST", paths::RECEIVE_DATA).header("content-type", "application/json");
        let request = match value {
            Some(value) => request.header("X-Requested-With", value),
            None => request,
        };
        // The body is invalid too, which the answer does not say: the header is checked first.
        let answer = ana.service.send(request.body("{")).await;
        assert_eq!(answer.sentence(), owned_sentence(ACCESS_DENIED), "{value:?}");
        assert_eq!(answer.success(), false);
    }
}
