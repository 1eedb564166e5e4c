//! The secret store: implements Secrets Manager's `GetSecretValue`. Its only secret is the captcha provider's.

use axum::body::Bytes;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};

/// The base path of the secret store's API. The SDK appends a slash.
pub(crate) const SECRETS_PATH: &str = "/_local/secrets";
/// The setting with the captcha provider's secret. Functions get only the secret's ARN.
pub(crate) const CAPTCHA_SECRET: &str = "CAPTCHA_SECRET";
/// The ARN of the secret.
pub(crate) const CAPTCHA_SECRET_ARN: &str = "local-captcha-secret";

/// The route of the secret store.
pub(crate) fn router(captcha_secret: Option<String>) -> Router {
    let answer = async move |asked: Bytes| get_secret_value(&asked, captcha_secret);
    Router::new().route(&format!("{SECRETS_PATH}/"), post(answer))
}

fn get_secret_value(asked: &[u8], captcha_secret: Option<String>) -> Response {
    let asked: Value = serde_json::from_slice(asked).unwrap_or_default();
    let known = captcha_secret.filter(|_| asked.get("SecretId").is_some_and(|id| id == CAPTCHA_SECRET_ARN));
    if let Some(secret) = known {
        let answer = json!({"ARN": CAPTCHA_SECRET_ARN, "Name": CAPTCHA_SECRET_ARN, "SecretString": secret});
        return Json(answer).into_response();
    }
    let error = json!({"__type": "ResourceNotFoundException", "Message": "there is no such secret"});
    (StatusCode::BAD_REQUEST, Json(error)).into_response()
}
