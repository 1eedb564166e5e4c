//! A login as tutorials write it, with the SDK's whole configuration chain, the conversions of `lambda_http` and the
//! default parameters of `argon2`.

use std::time::{SystemTime, UNIX_EPOCH};

use argon2::password_hash::phc::PasswordHash;
use argon2::{Argon2, PasswordVerifier};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lambda_http::{Body, Error, Request, RequestPayloadExt, Response, run, service_fn, tracing};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const IDLE_SECONDS: u64 = 2 * 60 * 60;
const ABSOLUTE_SECONDS: u64 = 7 * 24 * 60 * 60;

#[derive(Deserialize)]
struct Form {
    email: String,
    password: String,
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    tracing::init_default_subscriber();
    let config = aws_config::load_from_env().await;
    let client = &Client::new(&config);
    let table = &std::env::var("ACCOUNTS_TABLE")?;
    run(service_fn(|request| async move { login(client, table, request).await })).await
}

async fn login(client: &Client, table: &str, request: Request) -> Result<Response<Body>, Error> {
    if request.method() != "POST" {
        return answer(405, &failure("Método no permitido"), None);
    }
    if request.headers().get("x-requested-with").is_none_or(|value| value != "XMLHttpRequest") {
        return answer(403, &failure("Acceso prohibido"), None);
    }
    let Some(Form { email, password }) = request.payload()? else {
        return answer(400, &failure("Parámetros inválidos"), None);
    };
    let email = email.trim().to_lowercase();
    let key = URL_SAFE_NO_PAD.encode(&Sha256::digest(&email)[..16]);

    let found = client
        .get_item()
        .table_name(table)
        .key("pk", AttributeValue::S(key.clone()))
        .key("sk", AttributeValue::S("profile".to_owned()))
        .consistent_read(true)
        .send()
        .await?;
    let Some(profile) = found.item else {
        return answer(200, &failure("Email o contraseña incorrectas"), None);
    };
    let text = |name: &str| profile.get(name).and_then(|value| value.as_s().ok()).cloned().unwrap_or_default();
    let number =
        |name: &str| -> u64 { profile.get(name).and_then(|value| value.as_n().ok()?.parse().ok()).unwrap_or_default() };
    let stored = text("password");
    let hash = PasswordHash::new(&stored)?;
    if Argon2::default().verify_password(password.as_bytes(), &hash).is_err() {
        return answer(200, &failure("Email o contraseña incorrectas"), None);
    }

    let mut secret = [0; 32];
    getrandom::fill(&mut secret)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let session = format!("session#{}", URL_SAFE_NO_PAD.encode(Sha256::digest(secret)));
    client
        .put_item()
        .table_name(table)
        .item("pk", AttributeValue::S(key.clone()))
        .item("sk", AttributeValue::S(session))
        .item("id", AttributeValue::N(number("id").to_string()))
        .item("generation", AttributeValue::N(number("generation").to_string()))
        .item("created_at", AttributeValue::N(now.to_string()))
        .item("last_seen", AttributeValue::N(now.to_string()))
        .item("expires_at", AttributeValue::N((now + IDLE_SECONDS).to_string()))
        .condition_expression("attribute_not_exists(pk)")
        .send()
        .await?;

    let user = json!({
        "id": number("id"),
        "email": text("email"),
        "name": text("name"),
        "url_image": text("url_image"),
        "accept_news": number("accept_news"),
    });
    let body = json!({"success": true, "message": "Inicio de sesión correcto", "user": user});
    let token = format!("{key}.{}", URL_SAFE_NO_PAD.encode(secret));
    answer(200, &body, Some(&token))
}

fn failure(message: &str) -> Value {
    json!({"success": false, "message": message})
}

fn answer(status: u16, body: &Value, token: Option<&str>) -> Result<Response<Body>, Error> {
    let mut response = Response::builder()
        .status(status)
        .header("content-type", "application/json; charset=utf-8")
        .header("cache-control", "no-store");
    if let Some(token) = token {
        let attributes = format!("Path=/; Max-Age={ABSOLUTE_SECONDS}; HttpOnly; Secure; SameSite=Lax");
        response = response.header("set-cookie", format!("__Host-session={token}; {attributes}"));
    }
    Ok(response.body(Body::from(body.to_string()))?)
}
