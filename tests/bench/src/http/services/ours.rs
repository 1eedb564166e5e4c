//! This service: its local stack, with the tables in a process of their own, so that both can be told apart.

use serde_json::{Value, json};
use tokio::process::Command;

use crate::Outcome;
use crate::http::exchange::{Answer, Body, Person, Request};
use crate::http::service::{Part, Place, Service, Step};

/// This service.
pub(super) struct Ours;

/// A request as the front end sends it.
fn ours(path: &'static str, body: Body) -> Request {
    Request::post(path, body).with("X-Requested-With", "XMLHttpRequest")
}

impl Service for Ours {
    fn name(&self) -> &'static str {
        "This service"
    }

    fn version(&self, place: &Place) -> Outcome<String> {
        let revision = std::process::Command::new("git")
            .args(["describe", "--always", "--dirty"])
            .current_dir(&place.root)
            .output()?;
        Ok(format!("at {}", String::from_utf8(revision.stdout)?.trim()))
    }

    fn remarks(&self) -> &'static str {
        "the local stack: a gateway that makes Lambda's event of each request, the functions' own code in the same process, \
         and each call to the tables by the AWS SDK over loopback HTTP, signed, to an embedded DynamoDB (SQLite in memory) in a \
         process of its own. That process counts with the service. Each call writes a line of JSON with metrics, and an audit \
         line where there is an event. Registration opens no session. Google's key set is kept."
    }

    fn start(&self, place: &Place) -> Vec<Step> {
        let local = || {
            let mut command = Command::new(place.built.join("local"));
            command.env("LOCAL_DATA", "memory").env("GOOGLE_CLIENT_IDS", &place.audience);
            command
        };
        let mut tables = local();
        tables.arg("peers").env("PORT", "0").env("DYNAMODB_PORT", place.second_port.to_string());
        let mut server = local();
        server
            .env("PORT", place.port.to_string())
            .env("DYNAMODB_PORT", "0")
            .env("DYNAMODB_URL", format!("http://127.0.0.1:{}", place.second_port))
            .env("GOOGLE_KEYS_URL", &place.keys_url);
        vec![
            Step::Serve { part: Part::Tables, command: tables, port: place.second_port },
            Step::Serve { part: Part::Server, command: server, port: place.port },
        ]
    }

    fn register(&self, person: &Person) -> Request {
        ours(
            "/app/auth/sendRegister.php",
            Body::Form(vec![
                ("nombre", person.name.clone()),
                ("email", person.email.clone()),
                ("password", person.password.clone()),
                ("confirm-password", person.password.clone()),
                ("terms", "on".to_owned()),
            ]),
        )
    }

    fn is_registered(&self, answer: &Answer, _: &Person) -> bool {
        answer.tells(200, "/message", "Usuario registrado correctamente")
    }

    fn login(&self, email: &str, password: &str) -> Request {
        let fields = vec![("email", email.to_owned()), ("password", password.to_owned())];
        ours("/app/auth/sendLogin.php", Body::Form(fields))
    }

    fn google(&self, credential: &str, _: &str) -> Result<Request, &'static str> {
        Ok(ours("/app/auth/google-callback-login.php", Body::Json(json!({"credential": credential}))))
    }

    fn session(&self, answer: &Answer, email: &str) -> Option<String> {
        // Its name has a prefix where cookies are secure.
        answer.tells(200, "/user/email", email).then(|| answer.cookie("session"))?
    }

    fn is_refused(&self, answer: &Answer) -> bool {
        answer.tells(200, "/message", "Email o contraseña incorrectas")
            && answer.body.get("success") == Some(&Value::Bool(false))
            && answer.cookies.is_empty()
    }

    fn is_credential_refused(&self, answer: &Answer) -> bool {
        answer.body.get("user").is_none() && answer.cookies.is_empty()
    }

    fn check(&self, session: &str) -> Request {
        ours("/app/auth/session.php", Body::None).with("Cookie", session)
    }

    fn is_live(&self, answer: &Answer, email: &str) -> bool {
        answer.tells(200, "/user/email", email)
    }

    fn is_nobody(&self, answer: &Answer) -> bool {
        answer.status == 401 && answer.body.get("user").is_none()
    }
}
