//! The requests with which the functions are measured: an event, the answers of the services behind the function, and
//! the expected answer. Each request succeeds, so that all of its code runs.

use std::path::{Path, PathBuf};

use axum::body::Bytes;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use local::Template;
use serde_json::{Value, json};
use shared::success;
use shared::system::clock::{Clock, SystemClock};
use stand_ins::Signer;

use crate::lambda::Program;
use crate::notices;
use crate::passkeys::Passkey;
use crate::rows::{EMAIL, Hash, NAME, PASSWORD, Rows, SUB};
use crate::table::{Answers, Table};
use crate::{Outcome, binary};

/// The name of the accounts table.
pub const ACCOUNTS: &str = "accounts";
/// The name of the entries table.
pub const ENTRIES: &str = "entries";
/// The address of the front end.
const FRONT_END: &str = "https://app.example";
/// The beginning of the session cookie.
const COOKIE: &str = "__Host-session=";
/// The value that the identity provider's page sends both as a cookie and as a field.
const DOUBLE_SUBMIT: &str = "f00dfeed";
/// The client id whose credentials are accepted.
const CLIENT: &str = "local-client";

/// The package whose binary runs the hashing functions with the lowest cost of the hash.
pub const LIGHT: &str = "light";
/// The functions that hash. [`LIGHT`] can run them.
const HASHING: [&str; 4] = ["login", "register", "reset-password", "user-config"];

/// One function and one request to it.
pub struct Scenario {
    /// The name of the measurement.
    pub name: &'static str,
    /// The name of the function's crate.
    pub function: &'static str,
    /// Whether the request hashes a password.
    pub hashes: bool,
    /// The answers of the services behind the function.
    pub answers: Answers,
    /// The event that Lambda sends.
    event: Value,
    status: u16,
    /// The expected body. `None` accepts every body with `success: true`, with or without a cookie.
    body: Option<Value>,
    sets_cookie: bool,
    /// Whether the event is a batch of changes. All of them have to be handled, and nothing else is expected.
    is_batch: bool,
}

impl Scenario {
    /// The function's sample event, with the expected status 200 and this expected body.
    fn of(
        function: &'static str,
        body: Value,
        answers: impl IntoIterator<Item = (&'static str, Value)>,
    ) -> Outcome<Self> {
        let event = serde_json::from_slice(&std::fs::read(events().join(function).with_extension("json"))?)?;
        Ok(Self { body: Some(body), ..Self::with_event(function, event, answers.into_iter().collect()) })
    }

    /// This event, with the expected status 200.
    fn with_event(function: &'static str, event: Value, answers: Answers) -> Self {
        let [hashes, sets_cookie, is_batch] = [false; 3];
        Self { name: function, function, hashes, answers, event, status: 200, body: None, sets_cookie, is_batch }
    }

    /// Whether the sample event has a session's cookie.
    fn presents_a_session(&self) -> bool {
        let cookie = self.event.pointer("/cookies/0").and_then(Value::as_str);
        cookie.is_some_and(|cookie| cookie.starts_with(COOKIE))
    }

    fn with_session(self, token: &str) -> Self {
        self.member("cookies", json!([format!("{COOKIE}{token}")]))
    }

    /// Replaces the body of the event.
    fn sending(self, body: &str) -> Self {
        self.member("body", json!(STANDARD.encode(body))).member("isBase64Encoded", json!(true))
    }

    fn member(mut self, name: &str, value: Value) -> Self {
        if let Value::Object(event) = &mut self.event {
            event.insert(name.to_owned(), value);
        }
        self
    }

    /// The event that Lambda sends.
    #[must_use]
    pub fn event(&self) -> Bytes {
        self.event.to_string().into()
    }

    /// The path of the binary in a build's folder. For a function that hashes, it is that of [`LIGHT`].
    #[must_use]
    pub fn without_hash(&self, binaries: &Path) -> PathBuf {
        binary(binaries, if HASHING.contains(&self.function) { LIGHT } else { self.function })
    }

    /// The command with the environment that the template gives the function, and with this table.
    ///
    /// # Errors
    /// The template lacks the function, or the value of a variable.
    pub fn program(&self, command: Vec<PathBuf>, table: &Table) -> Outcome<Program> {
        let template = Template::of_this_project()?;
        let function = template.functions().iter().find(|function| function.crate_name() == self.function);
        let function = function.ok_or_else(|| format!("the template has no {}", self.function))?;
        let parameters = [
            ("AWS::StackName", "bench"),
            ("DeadLetters", table.url()),
            ("FrontEndUrl", FRONT_END),
            ("GoogleClientIds", CLIENT),
            ("GoogleKeysUrl", table.keys_url()),
            ("MailFrom", "cuentas@example.com"),
        ];
        // Other functions are measured with the settings that most deployments have.
        let own = [("CaptchaProvider", "altcha"), ("CaptchaSecretArn", "arn")];
        let own = own.into_iter().filter(|_| self.function == "captcha");
        let parameters: Vec<_> = parameters.into_iter().chain(own).collect();
        let mut environment = template.environment(function, &parameters)?;
        environment.insert("AWS_ENDPOINT_URL".to_owned(), table.url().to_owned());
        Ok(Program { name: self.function.to_owned(), command, environment: environment.into_iter().collect() })
    }

    /// Compares an answer with the expected one.
    ///
    /// # Errors
    /// The answers differ. The error shows both.
    pub fn check(&self, answer: &[u8]) -> Outcome<()> {
        let answered: Value = serde_json::from_slice(answer)?;
        let body =
            answered.get("body").and_then(Value::as_str).and_then(|body| serde_json::from_str::<Value>(body).ok());
        let cookie = answered.get("cookies").and_then(|cookies| cookies.get(0)?.as_str());
        let sets = cookie.is_some_and(|cookie| cookie.starts_with(COOKIE)) == self.sets_cookie || self.body.is_none();
        let is_expected = match &self.body {
            Some(expected) => body.as_ref() == Some(expected),
            None => body.is_some_and(|body| body.get("success") == Some(&json!(true))),
        };
        if self.is_batch && answered == json!({"batchItemFailures": []}) {
            return Ok(());
        }
        if answered.get("statusCode") == Some(&json!(self.status)) && is_expected && sets {
            return Ok(());
        }
        Err(format!("answered {answered} instead of {} with {:?}", self.status, self.body).into())
    }
}

/// The scenarios of all functions. `user-config` has two, because it hashes only a new password, and `receive-data` has
/// two, because it stores the entries of an account in another way. `notices` gets a change of an account.
///
/// A function without a scenario here gets its sample event. Every operation on the table is then answered with the
/// items of the account, and the function must answer with `success: true`.
///
/// # Errors
/// A sample event in `infra/events` is missing or broken.
pub fn all(signer: &Signer, hash: Hash) -> Outcome<Vec<Scenario>> {
    let rows = &Rows::new(hash)?;
    let Rows { token, profile, session, .. } = rows;
    let image = format!("{FRONT_END}/assets/avatars/default.jpeg");
    let user = json!({"id": 7, "email": EMAIL, "name": NAME, "url_image": image, "accept_news": 1});
    let known = json!({"status": "exists", "user": {"id": 7, "email": EMAIL, "name": NAME}});
    let success = |message: &str| json!({"success": true, "message": message});
    let passwords = |first: &str, second: &str| format!("{first}={PASSWORD}&{second}={PASSWORD}");
    let reset_form = format!("token={token}&{}", passwords("new_password", "confirm_password"));
    let settings_form = format!("name=Ana+Garc%C3%ADa&{}", passwords("password", "confirm_password"));
    let credential = credential(signer)?;
    let redirect_form = format!("credential={credential}&g_csrf_token={DOUBLE_SUBMIT}");

    let read = ("GetItem", json!({"Item": profile}));
    let both = ("BatchGetItem", json!({"Responses": {ACCOUNTS: [profile, session]}, "UnprocessedKeys": {}}));
    let query = ("Query", json!({"Items": [profile, session], "Count": 2, "ScannedCount": 2}));
    let [put, update, transaction] = ["PutItem", "UpdateItem", "TransactWriteItems"].map(|name| (name, json!({})));
    let total = ("UpdateItem", json!({"Attributes": {"total": {"N": "50"}}}));
    let reset_profile = ("UpdateItem", json!({"Attributes": profile}));
    let deleted = ("DeleteItem", json!({"Attributes": session}));
    let stored = ("BatchWriteItem", json!({"UnprocessedItems": {}}));
    let secret = (
        "GetSecretValue",
        json!({"ARN": "arn", "Name": "captcha", "SecretString": "0123456789abcdef0123456789abcdef"}),
    );
    let backend = [&secret, &read, &both, &query, &put, &update, &transaction, &deleted, &stored].map(Clone::clone);
    let opened = || [query.clone(), put.clone()];

    let login = json!({"success": true, "message": success::LOGIN, "user": user});
    let verification = Scenario::of("verify-email", success(success::VERIFY_EMAIL), [reset_profile.clone()])?;
    let verification = verification.sending(&format!("token={token}"));
    let google = Scenario::of("google-login", known, opened())?;
    let google = google.sending(&json!({"credential": credential}).to_string());
    let redirect = Scenario::of("google-redirect", json!({}), opened())?.sending(&redirect_form);
    let redirect = redirect.member("cookies", json!([format!("g_csrf_token={DOUBLE_SUBMIT}")]));
    let logout = Scenario::of("logout", success(success::LOGOUT), [deleted])?.with_session(token);
    let look = Scenario::of("session", json!({"success": true, "user": user}), [both.clone()])?;
    let settings = success(success::USER_CONFIG);
    let password = Scenario::of("user-config", settings.clone(), [both.clone(), transaction.clone()])?;
    let password = password.with_session(token).sending(&settings_form);
    let settings = Scenario::of("user-config", settings, [both.clone(), update.clone()])?;
    let entries = success(success::RECEIVE_DATA);
    let owned = Scenario::of("receive-data", entries.clone(), [both.clone(), transaction.clone()])?.with_session(token);
    let delete = Scenario::of("delete-account", success(success::DELETE_ACCOUNT), [both, query.clone(), transaction])?;
    let passkeys = of_passkeys(&Passkey::new(FRONT_END)?, rows, login.clone())?;
    let reset = Scenario::of("reset-password", success(success::RESET_PASSWORD), [reset_profile])?.sending(&reset_form);
    let mut all = vec![
        Scenario { hashes: true, sets_cookie: true, ..Scenario::of("login", login, opened())? },
        Scenario { hashes: true, ..Scenario::of("register", success(success::REGISTER), [total, put.clone()])? },
        Scenario { sets_cookie: true, ..google },
        Scenario { status: 303, sets_cookie: true, ..redirect },
        Scenario { sets_cookie: true, ..logout },
        look.with_session(token),
        settings.with_session(token),
        Scenario { name: "user-config-password", hashes: true, sets_cookie: true, ..password },
        Scenario { sets_cookie: true, ..delete.with_session(token) },
        Scenario::of("send-reset-link", success(success::SEND_RESET_LINK), [read, update])?,
        Scenario { hashes: true, ..reset },
        verification,
        Scenario::of("receive-data", entries, [stored])?,
        Scenario { name: "receive-data-account", ..owned },
    ];
    all.extend(passkeys);
    let (event, answers) = notices::changed_password(profile, session);
    all.push(Scenario { is_batch: true, ..Scenario::with_event("notices", event, answers) });
    for name in functions()? {
        if all.iter().all(|scenario| scenario.function != name) {
            let plain = Scenario::of(name.leak(), Value::Null, backend.clone())?;
            let plain = if plain.presents_a_session() { plain.with_session(token) } else { plain };
            all.push(Scenario { body: None, ..plain });
        }
    }
    Ok(all)
}

/// The requests that change or use a passkey. `login` is the answer to a login.
fn of_passkeys(passkey: &Passkey, rows: &Rows, login: Value) -> Outcome<[Scenario; 3]> {
    let Rows { token, profile, session, .. } = rows;
    let mut owner = profile.clone();
    if let (Some(owner), Some(more)) = (owner.as_object_mut(), passkey.in_profile.as_object()) {
        owner.extend(more.clone());
    }
    let pair = |first: &Value, second: &Value| {
        ("BatchGetItem", json!({"Responses": {ACCOUNTS: [first, second]}, "UnprocessedKeys": {}}))
    };
    let transaction = ("TransactWriteItems", json!({}));
    let success = |message: &str| json!({"success": true, "message": message});
    let ((created, attestation), (asked, assertion)) = (&passkey.registration, &passkey.login);

    let challenge = ("GetItem", json!({"Item": created}));
    let answers = [pair(profile, session), challenge, transaction.clone()];
    let register = Scenario::of("passkey-register", success(success::PASSKEY_CREATED), answers)?;
    let register = register.sending(&json!({"credential": attestation, "name": "Mi portátil"}).to_string());

    let query = ("Query", json!({"Items": [passkey.row, owner, session], "Count": 3, "ScannedCount": 3}));
    let answers = [pair(asked, &passkey.pointer), query, transaction.clone()];
    let login = Scenario::of("passkey-login", login, answers)?;
    let login = login.sending(&json!({"credential": assertion}).to_string());

    let answers = [pair(&owner, session), transaction];
    let remove = Scenario::of("remove-passkey", success(success::PASSKEY_REMOVED), answers)?;
    let remove = remove.sending(&format!("id={}", passkey.id));
    Ok([register.with_session(token), Scenario { sets_cookie: true, ..login }, remove.with_session(token)])
}

/// The folder of the sample events.
fn events() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../infra/events")
}

/// The functions that have a sample event.
fn functions() -> Outcome<Vec<String>> {
    let mut names = Vec::new();
    for file in std::fs::read_dir(events())? {
        names.extend(file?.path().file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}

/// A login that other implementations can answer too. They read the account without its sessions.
///
/// # Errors
/// As [`all`].
pub fn login(signer: &Signer, hash: Hash) -> Outcome<Scenario> {
    let mut scenarios = all(signer, hash)?.into_iter();
    let mut login = scenarios.find(|scenario| scenario.name == "login").ok_or("there is no login")?;
    login.answers.insert("GetItem", json!({"Item": Rows::new(hash)?.profile}));
    Ok(login)
}

/// The scenario of an empty function.
///
/// # Errors
/// As [`all`].
pub fn hello() -> Outcome<Scenario> {
    Scenario::of("session", json!({"success": true}), [])
}

/// A credential of the account's owner. It is valid for an hour.
fn credential(signer: &Signer) -> Outcome<String> {
    let now = SystemClock.now().seconds();
    let claims = json!({
        "iss": "https://accounts.google.com", "aud": CLIENT, "sub": SUB, "email": EMAIL, "email_verified": true,
        "name": NAME, "iat": now, "exp": now + 3600,
    });
    Ok(signer.credential(&claims)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lambda::Function;
    use crate::table::{Calls, Certificate};

    /// The binary that `cargo build` placed next to the tests.
    fn built(name: &str) -> Vec<PathBuf> {
        let path = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join(name);
        assert!(path.exists(), "{} is not built: run `make test`", path.display());
        vec![path]
    }

    async fn answered(scenario: &Scenario, binary: &str, signer: &Signer) -> Calls {
        let table = Table::start(&scenario.answers, &signer.key_set(), None).await.unwrap();
        let mut function = Function::spawn(&scenario.program(built(binary), &table).unwrap()).await.unwrap();
        function.ready().await.unwrap();
        for _ in 0..2 {
            function.succeed(scenario).await.unwrap();
        }
        function.end().await.unwrap();
        table.calls()
    }

    #[tokio::test]
    async fn every_scenario_succeeds_and_makes_all_its_calls() {
        let signer = Signer::first().unwrap();
        for scenario in all(&signer, Hash::Full).unwrap() {
            let calls = answered(&scenario, scenario.function, &signer).await;
            // A scenario without an expected body has answers to all operations. Its function may call only some of
            // them.
            for operation in scenario.answers.keys().filter(|_| scenario.body.is_some() || scenario.is_batch) {
                assert!(calls.contains_key(*operation), "{} makes no {operation}", scenario.name);
            }
        }
    }

    #[tokio::test]
    async fn a_function_without_its_hash_makes_the_same_calls() {
        let signer = Signer::first().unwrap();
        let scenarios = [Hash::Full, Hash::Light].map(|hash| all(&signer, hash).unwrap());
        let [full, light] = scenarios.map(|scenarios| scenarios.into_iter().filter(|scenario| scenario.hashes));
        for (full, light) in full.zip(light) {
            let calls = answered(&full, full.function, &signer).await;
            assert_eq!(answered(&light, LIGHT, &signer).await, calls, "{}", full.name);
        }
    }

    #[tokio::test]
    async fn an_unexpected_answer_is_reported() {
        let signer = Signer::first().unwrap();
        let mut scenarios = all(&signer, Hash::Full).unwrap();
        let logout = scenarios.iter_mut().find(|scenario| scenario.name == "logout").unwrap();
        logout.sets_cookie = false;
        let body = logout.body.as_ref().unwrap().to_string();
        let answer = json!({"statusCode": 200, "body": body, "cookies": [COOKIE]}).to_string();
        assert!(logout.check(answer.as_bytes()).is_err());
        logout.sets_cookie = true;
        logout.check(answer.as_bytes()).unwrap();
        let other = json!({"statusCode": 200, "body": "{}", "cookies": [COOKIE]}).to_string();
        assert!(logout.check(other.as_bytes()).is_err());
        let answer = answer.replace("200", "500");
        assert!(logout.check(answer.as_bytes()).unwrap_err().to_string().contains("500"));
    }

    #[tokio::test]
    async fn a_table_behind_tls_is_trusted_only_by_its_certificate() {
        let signer = Signer::first().unwrap();
        let scenarios = all(&signer, Hash::Full).unwrap();
        let session = scenarios.iter().find(|scenario| scenario.name == "session").unwrap();
        let certificate = Certificate::new().unwrap();
        let table = Table::start(&session.answers, &signer.key_set(), Some(&certificate)).await.unwrap();
        let mut program = session.program(built("session"), &table).unwrap();
        let refused = Function::spawn(&program).await.unwrap().succeed(session).await;
        assert!(refused.unwrap_err().to_string().contains("500"));
        assert!(table.calls().is_empty());
        let bundle = std::env::temp_dir().join(format!("bundle-{}.pem", std::process::id()));
        std::fs::write(&bundle, &certificate.pem).unwrap();
        program.environment.push(("AWS_CA_BUNDLE".to_owned(), bundle.display().to_string()));
        Function::spawn(&program).await.unwrap().succeed(session).await.unwrap();
        std::fs::remove_file(bundle).unwrap();
    }
}
