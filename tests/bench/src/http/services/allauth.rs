//! django-allauth, headless, on gunicorn.

use serde_json::{Value, json};
use tokio::process::Command;

use super::printed;
use crate::Outcome;
use crate::http::exchange::{Answer, Body, Person, Request};
use crate::http::service::{Part, Place, Service, Step};

/// django-allauth.
pub(super) struct Allauth;

/// Prints what is installed.
const VERSIONS: &str = "import platform; from importlib.metadata import version; print(\
     f\"{version('django-allauth')}, Django {version('django')}, argon2-cffi {version('argon2-cffi')}, \
     gunicorn {version('gunicorn')}, Python {platform.python_version()}\")";

/// Django's own least length of a secret key.
const SECRET_KEY: &str = "a secret key for a measurement alone, as long as Django wants it";

fn post(path: &'static str, body: Value) -> Request {
    Request::post(path, Body::Json(body))
}

impl Allauth {
    fn environment(place: &Place, command: &mut Command) {
        command
            .current_dir(place.root.join("tests/bench/peers/http/allauth"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("DATABASE", place.work.join("allauth.sqlite"))
            .env("SECRET_KEY", SECRET_KEY)
            .env("GOOGLE_CLIENT_ID", &place.audience)
            .env("GOOGLE_KEYS_URL", &place.certificates_url);
    }
}

impl Service for Allauth {
    fn name(&self) -> &'static str {
        "django-allauth"
    }

    fn version(&self, place: &Place) -> Outcome<String> {
        printed(std::process::Command::new(place.root.join("target/tools/allauth/bin/python")).args(["-c", VERSIONS]))
    }

    fn remarks(&self) -> &'static str {
        "headless (`app` client), gunicorn with one worker of eight threads, `DEBUG` off, its own backend alone (Django's behind \
         it would hash a wrong password twice), tables and sessions in SQLite on disk, WAL, without waiting for the disk. \
         Argon2id by `argon2-cffi` with the parameters set; Django's own default takes five times the memory. Registration opens a session. It fetches Google's certificates for every login, \
         as it always does; the time of the server that hands them out does not count."
    }

    fn start(&self, place: &Place) -> Vec<Step> {
        let bin = place.root.join("target/tools/allauth/bin");
        let mut tables = Command::new(bin.join("python"));
        tables.args(["service.py", "migrate", "--verbosity", "0"]);
        Self::environment(place, &mut tables);
        let mut server = Command::new(bin.join("gunicorn"));
        server
            .args(["service:application", "--no-control-socket", "--bind", &format!("127.0.0.1:{}", place.port)])
            .args(["--workers", "1", "--worker-class", "gthread", "--threads", "8", "--keep-alive", "60"]);
        Self::environment(place, &mut server);
        vec![Step::Run(tables), Step::Serve { part: Part::Server, command: server, port: place.port }]
    }

    fn register(&self, person: &Person) -> Request {
        let Person { email, password, .. } = person;
        post("/_allauth/app/v1/auth/signup", json!({"email": email, "password": password}))
    }

    fn is_registered(&self, answer: &Answer, person: &Person) -> bool {
        answer.tells(200, "/data/user/email", &person.email)
    }

    fn login(&self, email: &str, password: &str) -> Request {
        post("/_allauth/app/v1/auth/login", json!({"email": email, "password": password}))
    }

    fn google(&self, credential: &str, audience: &str) -> Result<Request, &'static str> {
        let token = json!({"client_id": audience, "id_token": credential});
        let body = json!({"provider": "google", "process": "login", "token": token});
        Ok(post("/_allauth/app/v1/auth/provider/token", body))
    }

    fn session(&self, answer: &Answer, email: &str) -> Option<String> {
        let token = answer.body.pointer("/meta/session_token")?.as_str()?;
        answer.tells(200, "/data/user/email", email).then(|| token.to_owned())
    }

    fn is_refused(&self, answer: &Answer) -> bool {
        answer.tells(400, "/errors/0/code", "email_password_mismatch") && answer.body.get("meta").is_none()
    }

    fn is_credential_refused(&self, answer: &Answer) -> bool {
        answer.tells(400, "/errors/0/code", "invalid_token") && answer.body.get("meta").is_none()
    }

    fn check(&self, session: &str) -> Request {
        Request::get("/_allauth/app/v1/auth/session").with("X-Session-Token", session)
    }

    fn is_live(&self, answer: &Answer, email: &str) -> bool {
        answer.tells(200, "/data/user/email", email)
    }

    fn is_nobody(&self, answer: &Answer) -> bool {
        // Gone is what it says of a session that was never there.
        matches!(answer.status, 401 | 410) && answer.body.pointer("/data/user").is_none()
    }
}
