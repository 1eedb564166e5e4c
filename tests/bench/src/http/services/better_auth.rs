//! Better Auth on Node.

use serde_json::{Value, json};
use tokio::process::Command;

use super::{installed, printed};
use crate::Outcome;
use crate::http::exchange::{Answer, Body, Person, Request};
use crate::http::service::{Part, Place, Service, Step};

/// Better Auth.
pub(super) struct BetterAuth;

fn post(path: &'static str, body: Value) -> Request {
    Request::post(path, Body::Json(body))
}

impl Service for BetterAuth {
    fn name(&self) -> &'static str {
        "Better Auth"
    }

    fn version(&self, place: &Place) -> Outcome<String> {
        let packages = place.installed.join("better-auth/node_modules");
        let of = |package: &str| -> Outcome<String> {
            let manifest: Value = serde_json::from_str(&installed(&packages.join(package).join("package.json"))?)?;
            Ok(manifest.get("version").and_then(Value::as_str).unwrap_or("?").to_owned())
        };
        let node = printed(std::process::Command::new("node").arg("--version"))?;
        Ok(format!("{}, @node-rs/argon2 {}, Node {node}", of("better-auth")?, of("@node-rs/argon2")?))
    }

    fn remarks(&self) -> &'static str {
        "one process on `node:http`, `NODE_ENV=production`, its memory adapter, Argon2id by `@node-rs/argon2` on libuv's four \
         threads in place of its own scrypt; its kernel is `argon2-rust`, as this service's is on x86-64, so the hash is not what tells the two apart there. The adapter reads whole lists and copies all of them for a registration, so it \
         slows with their length: a run keeps them short. Registration opens a session. Its own Google provider fetches the key set for every login from an \
         address that cannot be set, so `jose`, which it uses itself, verifies with the same checks and keeps the set."
    }

    fn start(&self, place: &Place) -> Vec<Step> {
        let mut command = Command::new("node");
        command
            .arg("server.mjs")
            .current_dir(place.installed.join("better-auth"))
            .env("NODE_ENV", "production")
            .env("PORT", place.port.to_string())
            .env("GOOGLE_CLIENT_ID", &place.audience)
            .env("GOOGLE_KEYS_URL", &place.keys_url);
        vec![Step::Serve { part: Part::Server, command, port: place.port }]
    }

    fn register(&self, person: &Person) -> Request {
        let Person { email, password, name } = person;
        post("/api/auth/sign-up/email", json!({"name": name, "email": email, "password": password}))
    }

    fn is_registered(&self, answer: &Answer, person: &Person) -> bool {
        answer.tells(200, "/user/email", &person.email)
    }

    fn login(&self, email: &str, password: &str) -> Request {
        post("/api/auth/sign-in/email", json!({"email": email, "password": password}))
    }

    fn google(&self, credential: &str, _: &str) -> Result<Request, &'static str> {
        Ok(post("/api/auth/sign-in/social", json!({"provider": "google", "idToken": {"token": credential}})))
    }

    fn session(&self, answer: &Answer, email: &str) -> Option<String> {
        answer.tells(200, "/user/email", email).then(|| answer.cookie("better-auth.session_token"))?
    }

    fn is_refused(&self, answer: &Answer) -> bool {
        answer.tells(401, "/code", "INVALID_EMAIL_OR_PASSWORD") && answer.cookies.is_empty()
    }

    fn is_credential_refused(&self, answer: &Answer) -> bool {
        answer.tells(401, "/code", "INVALID_TOKEN") && answer.cookies.is_empty()
    }

    fn check(&self, session: &str) -> Request {
        Request::get("/api/auth/get-session").with("Cookie", session)
    }

    fn is_live(&self, answer: &Answer, email: &str) -> bool {
        answer.tells(200, "/user/email", email)
    }

    fn is_nobody(&self, answer: &Answer) -> bool {
        answer.status == 200 && answer.body.is_null()
    }
}
