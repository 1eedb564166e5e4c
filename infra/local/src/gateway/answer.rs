//! Converts a function's answer, in format 2.0, to the HTTP response that API Gateway sends.

use std::collections::BTreeMap;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, SET_COOKIE};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    status_code: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    cookies: Vec<String>,
    body: Option<String>,
    #[serde(default)]
    is_base64_encoded: bool,
}

/// The HTTP response of `answer`; `None` if the answer is not valid. JSON without a status is the body itself.
pub(crate) fn response(answer: &str) -> Option<Response> {
    let value: Value = serde_json::from_str(answer).ok()?;
    if value.get("statusCode").is_none() {
        return Some(([(CONTENT_TYPE, "application/json")], answer.to_owned()).into_response());
    }
    let Answer { status_code, headers, cookies, body, is_base64_encoded } = serde_json::from_value(value).ok()?;
    let mut response = Response::builder().status(status_code);
    for (name, value) in headers {
        response = response.header(name, value);
    }
    for cookie in cookies {
        response = response.header(SET_COOKIE, cookie);
    }
    let body = body.unwrap_or_default();
    let body = if is_base64_encoded { STANDARD.decode(body).ok()? } else { body.into() };
    response.body(Body::from(body)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;
    use http_body_util::BodyExt;

    async fn body(response: Response) -> Vec<u8> {
        response.into_body().collect().await.expect("it is read").to_bytes().to_vec()
    }

    #[tokio::test]
    async fn each_cookie_has_its_own_header() {
        let answer = r#"{"statusCode":401,"headers":{"X-A":"1"},"cookies":["a=1","b=2"],"body":"no"}"#;
        let response = response(answer).expect("the answer is valid");
        assert_eq!(response.status(), 401);
        assert_eq!(response.headers().get_all(SET_COOKIE).iter().count(), 2);
        assert_eq!(response.headers().get("x-a").map(HeaderValue::as_bytes), Some(&b"1"[..]));
        assert_eq!(body(response).await, b"no");
    }

    #[tokio::test]
    async fn a_base64_body_is_decoded() {
        let answer = r#"{"statusCode":200,"body":"/w==","isBase64Encoded":true}"#;
        assert_eq!(body(response(answer).expect("the answer is valid")).await, [255]);
    }

    #[tokio::test]
    async fn json_without_a_status_is_the_body_of_a_200() {
        for answer in ["{}", r#"{"body":"no"}"#, r#""hello""#, "null", "[1]"] {
            let response = response(answer).expect("the answer is valid");
            assert_eq!(response.status(), 200, "{answer}");
            assert_eq!(response.headers().get(CONTENT_TYPE), Some(&HeaderValue::from_static("application/json")));
            assert_eq!(body(response).await, answer.as_bytes());
        }
    }

    #[tokio::test]
    async fn an_answer_without_a_body_has_an_empty_one() {
        for answer in [r#"{"statusCode":204}"#, r#"{"statusCode":204,"body":null}"#] {
            let response = response(answer).expect("the answer is valid");
            assert_eq!(response.status(), 204, "{answer}");
            assert!(body(response).await.is_empty(), "{answer}");
        }
    }

    #[test]
    fn an_invalid_answer_is_no_response() {
        for answer in [
            "",
            "{",
            r#"{"statusCode":9999}"#,
            r#"{"statusCode":"200"}"#,
            r#"{"statusCode":200,"headers":{"a b":"c"}}"#,
            r#"{"statusCode":200,"body":"?","isBase64Encoded":true}"#,
        ] {
            assert!(response(answer).is_none(), "{answer}");
        }
    }
}
