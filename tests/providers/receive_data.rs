//! The answers of the data endpoint.

use journeys::sentences::{DATA_SAVED, INVALID_JSON, INVALID_PARAMETERS, owned_sentence};
use journeys::{PASSWORD, Service, Visitor, paths};

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

/// `{"a":1}` in gzip.
const GZIP: [u8; 27] =
    [31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 171, 86, 74, 84, 178, 50, 172, 5, 0, 175, 172, 27, 86, 7, 0, 0, 0];

/// The answer never depends on whether something on the way inflates bodies, so the name of the coding decides.
#[tokio::test]
async fn a_compressed_body_is_refused_and_never_stored() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let plain = br#"{"a":1}"#;
    for (coding, body, expected) in [
        ("gzip", plain, INVALID_JSON),
        ("br", plain, INVALID_JSON),
        ("identity, gzip", plain, INVALID_JSON),
        ("Identity", plain, DATA_SAVED),
    ] {
        let request = ana.request(paths::RECEIVE_DATA).header("content-type", "application/json");
        let request = request.header("content-encoding", coding).body(body.to_vec());
        assert_eq!(ana.send(request).await.sentence(), owned_sentence(expected), "{coding} {body:?}");
    }
    let request = ana.request(paths::LOGIN).header("content-encoding", "gzip");
    let login = ana.send(request.form(&[("email", ana.email.as_str()), ("password", PASSWORD)])).await;
    assert_eq!(login.sentence(), owned_sentence(INVALID_PARAMETERS));
    let export = ana.form(paths::EXPORT_ACCOUNT, &[]).await.json();
    assert_eq!(export["entries"].as_array().map(Vec::len), Some(1), "{export}");
}

#[tokio::test]
async fn bytes_that_gzip_has_written_are_refused_and_never_stored() {
    let mut ana = Service::shared().visitor().signed_in().await;
    let request = ana.request(paths::RECEIVE_DATA).header("content-type", "application/json");
    let answer = ana.send(request.header("content-encoding", "gzip").body(GZIP.to_vec())).await;
    assert_eq!(answer.sentence(), owned_sentence(INVALID_JSON));
    assert_eq!(ana.form(paths::EXPORT_ACCOUNT, &[]).await.json()["entries"], serde_json::json!([]));
}
