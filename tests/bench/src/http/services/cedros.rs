//! cedros-login-server, of crates.io.

use serde_json::{Value, json};
use tokio::process::Command;

use super::installed;
use crate::Outcome;
use crate::http::exchange::{Answer, Body, Person, Request};
use crate::http::service::{Part, Place, Service, Step};

/// cedros-login-server.
pub(super) struct Cedros;

/// The cookie of its access token.
const ACCESS: &str = "cedros_access";

fn post(path: &'static str, body: Value) -> Request {
    Request::post(path, Body::Json(body))
}

impl Service for Cedros {
    fn name(&self) -> &'static str {
        "cedros-login-server"
    }

    fn version(&self, place: &Place) -> Outcome<String> {
        let list = installed(&place.installed.join("cedros/.crates.toml"))?;
        let version = list.split("cedros-login-server ").nth(1).and_then(|rest| rest.split(' ').next());
        Ok(format!("{}, in Rust", version.ok_or("target/bench/http/cedros lacks it: `make bench-http` installs it")?))
    }

    fn remarks(&self) -> &'static str {
        "its own release build, all in memory, no mail provider, Argon2id by RustCrypto with its default parameters, which are \
         these. Registration opens a session and makes an API key and a membership. A login counts failures by address, signs an RS256 token of 2048 bits, \
         and a session check verifies one and looks its session up."
    }

    fn start(&self, place: &Place) -> Vec<Step> {
        let mut command = Command::new(place.installed.join("cedros/bin/cedros-login-server"));
        command
            .current_dir(&place.work)
            .env("HOST", "127.0.0.1")
            .env("PORT", place.port.to_string())
            .env("JWT_SECRET", "a secret for a measurement alone, of thirty-two bytes or more")
            .env("RATE_LIMIT_ENABLED", "false")
            .env("EMAIL_REQUIRE_VERIFICATION", "false")
            .env("GOOGLE_ENABLED", "false")
            .env("APPLE_ENABLED", "false");
        vec![Step::Serve { part: Part::Server, command, port: place.port }]
    }

    fn register(&self, person: &Person) -> Request {
        let Person { email, password, name } = person;
        post("/auth/register", json!({"name": name, "email": email, "password": password}))
    }

    fn is_registered(&self, answer: &Answer, person: &Person) -> bool {
        answer.tells(201, "/user/email", &person.email)
    }

    fn login(&self, email: &str, password: &str) -> Request {
        post("/auth/login", json!({"email": email, "password": password}))
    }

    fn google(&self, _: &str, _: &str) -> Result<Request, &'static str> {
        Err("it asks Google's key set at an address that is compiled in, over TLS with compiled-in roots")
    }

    fn session(&self, answer: &Answer, email: &str) -> Option<String> {
        answer.tells(200, "/user/email", email).then(|| answer.cookie(ACCESS))?
    }

    fn is_refused(&self, answer: &Answer) -> bool {
        answer.tells(401, "/code", "INVALID_CREDENTIALS") && answer.cookie(ACCESS).is_none()
    }

    fn is_credential_refused(&self, answer: &Answer) -> bool {
        answer.status == 401 && answer.cookie(ACCESS).is_none()
    }

    fn check(&self, session: &str) -> Request {
        Request::get("/auth/user").with("Cookie", session)
    }

    fn is_live(&self, answer: &Answer, email: &str) -> bool {
        answer.tells(200, "/user/email", email)
    }

    fn is_nobody(&self, answer: &Answer) -> bool {
        answer.tells(401, "/code", "INVALID_TOKEN")
    }
}
