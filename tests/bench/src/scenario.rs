//! The requests with which the functions are measured. They come from the catalogue of the tests; this file has the
//! answers of the services behind the function. Each request succeeds, so that all of its code runs.

use std::path::{Path, PathBuf};

use axum::body::Bytes;
use journeys::requests::{Said, SessionAfter, Values};
use journeys::{ENDPOINTS, Endpoint, Request};
use local::Template;
use serde_json::{Value, json};
use shared::Token;
use shared::store::session_id;
use stand_ins::Signer;

use crate::lambda::Program;
use crate::rows::{
    CLIENT, EMAIL, Hash, NAME, PASSWORD, Passkey, Rows, changed_password, credential, lock_token, with_change,
};
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
/// The package whose binary runs the hashing functions with the lowest cost of the hash.
pub const LIGHT: &str = "light";
/// The functions that hash. [`LIGHT`] can run them.
const HASHING: [&str; 5] = ["confirm", "login", "register", "reset-password", "user-config"];

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
    expected: Expected,
}

/// The expected answer.
enum Expected {
    /// The status and the whole body, and whether a session's cookie is set or deleted.
    Exactly { said: Said, user: Option<Value>, sets_cookie: bool },
    /// Every body with `success: true`, with or without a cookie.
    Success,
    /// All changes of a batch were handled, and nothing else.
    Batch,
    /// The authorizer lets the request pass.
    Passed,
}

impl Scenario {
    /// A request of the catalogue with these values. `user` is the user in the answer.
    fn of(
        request: &Request,
        values: &Values,
        user: Option<&Value>,
        answers: impl IntoIterator<Item = (&'static str, Value)>,
    ) -> Self {
        let endpoint = Endpoint::at(request.path);
        let session = endpoint.presents_a_session().then(|| format!("{COOKIE}{}", values.get("token")));
        let sets_cookie = request.session != SessionAfter::Same;
        let expected = Expected::Exactly { said: request.answer, user: user.cloned(), sets_cookie };
        let event = request.call(values).event(&session);
        let answers = answers.into_iter().collect();
        Self { name: endpoint.name, function: endpoint.name, hashes: false, answers, event, expected }
    }

    fn with_session(mut self, token: &str) -> Self {
        if let Value::Object(event) = &mut self.event {
            event.insert("cookies".to_owned(), json!([format!("{COOKIE}{token}")]));
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
        let status = answered.get("statusCode").and_then(Value::as_u64).and_then(|status| status.try_into().ok());
        let (status, body) = (status.unwrap_or_default(), answered.get("body").and_then(Value::as_str));
        let body: Value = body.and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default();
        let cookie = answered.get("cookies").and_then(|cookies| cookies.get(0)?.as_str());
        let is_set = cookie.is_some_and(|cookie| cookie.starts_with(COOKIE));
        let is_expected = match &self.expected {
            Expected::Batch => answered == json!({"batchItemFailures": []}),
            Expected::Passed => answered.get("isAuthorized") == Some(&Value::Bool(true)),
            Expected::Success => Said::Success.is(status, &body),
            Expected::Exactly { said, user, sets_cookie } => {
                said.is(status, &body) && body == whole(*said, user.as_ref()) && is_set == *sets_cookie
            }
        };
        is_expected.then_some(()).ok_or_else(|| format!("{} is answered with {answered}", self.name).into())
    }
}

/// The whole body of an answer.
fn whole(said: Said, user: Option<&Value>) -> Value {
    let mut body = match said {
        Said::Sentence((_, message)) => json!({"success": true, "message": message}),
        Said::Success => json!({"success": true}),
        Said::Google(status) => json!({"status": status}),
        Said::Redirect => json!({}),
    };
    if let (Value::Object(body), Some(user)) = (&mut body, user) {
        body.insert("user".to_owned(), user.clone());
    }
    body
}

/// The scenarios of all functions. `user-config` has two, because it hashes only a new password, and `receive-data` has
/// two, because it stores the entries of an account in another way. `notices` gets a change of an account, and `authorizer`
/// a request to another API.
///
/// A function without a scenario here gets the first request of its endpoint. Every operation on the table is then
/// answered with the items of the account, and the function must answer with `success: true`.
///
/// # Errors
/// The account, its passkey or its credential cannot be made.
pub fn all(signer: &Signer, hash: Hash) -> Outcome<Vec<Scenario>> {
    let Rows { token, profile, session, .. } = &Rows::new(hash)?;
    let presented = Token::parse(token).ok_or("the token is invalid")?;
    let passkey = &Passkey::new(FRONT_END, &presented)?;
    let row = session.pointer("/sk/S").and_then(Value::as_str).unwrap_or_default();
    let id = session_id(row.trim_start_matches("session#"));
    let ((created, attestation), (asked, assertion)) = (&passkey.registration, &passkey.login);
    let values = &Values::from([
        ("email", EMAIL),
        ("name", NAME),
        ("new-name", NAME),
        ("password", PASSWORD),
        ("new-password", PASSWORD),
        ("token", token),
        ("verification", token),
        ("lock", &lock_token(&presented)?),
        ("change", token),
        ("new-email", "ana.nueva@example.com"),
        ("credential", &credential(signer)?),
        ("attestation", &attestation.to_string()),
        ("assertion", &assertion.to_string()),
        ("session", id),
        ("passkey", &passkey.id),
    ]);
    let image = format!("{FRONT_END}/assets/avatars/default.jpeg");
    let user = &json!({"id": 7, "email": EMAIL, "name": NAME, "url_image": image, "accept_news": 1});
    let known = &json!({"id": 7, "email": EMAIL, "name": NAME});
    let mut owner = profile.clone();
    if let (Some(owner), Some(more)) = (owner.as_object_mut(), passkey.in_profile.as_object()) {
        owner.extend(more.clone());
    }

    let changing = with_change(profile, &presented.hash());

    let item = |item: &Value| ("GetItem", json!({"Item": item}));
    let pair = |one: &Value, other: &Value| {
        ("BatchGetItem", json!({"Responses": {ACCOUNTS: [one, other]}, "UnprocessedKeys": {}}))
    };
    let items =
        |items: &[&Value]| ("Query", json!({"Items": items, "Count": items.len(), "ScannedCount": items.len()}));
    let done = |operation: &'static str| (operation, json!({}));
    let updated = |attributes: Value| ("UpdateItem", json!({"Attributes": attributes}));
    let deleted = ("DeleteItem", json!({"Attributes": session}));
    let stored = ("BatchWriteItem", json!({"UnprocessedItems": {}}));
    let both = || pair(profile, session);
    let opened = || [items(&[profile, session]), done("PutItem")];
    let of = |name: &str, user: Option<&Value>, answers: &[(&'static str, Value)]| {
        Scenario::of(Request::named(name), values, user, answers.iter().cloned())
    };

    let hashing = |scenario: Scenario| Scenario { hashes: true, ..scenario };
    let named = |name: &'static str, scenario: Scenario| Scenario { name, ..scenario };
    let (put, update, transaction) = (done("PutItem"), done("UpdateItem"), done("TransactWriteItems"));
    let lease = updated(json!({"total": {"N": "50"}}));
    let of_account = of("two entries", None, &[both(), transaction.clone()]).with_session(token);
    let mut all = vec![
        hashing(of("login", Some(user), &opened())),
        hashing(of("register", None, &[lease, transaction.clone()])),
        of("google of a known identity", Some(known), &opened()),
        of("google-redirect", None, &opened()),
        of("logout", None, std::slice::from_ref(&deleted)),
        of("session", Some(user), &[both()]),
        of("settings", None, &[both(), update.clone()]),
        named("user-config-password", hashing(of("new-password", None, &[both(), transaction.clone()]))),
        of("delete", None, &[both(), items(&[profile, session]), transaction.clone()]),
        of("reset-link", None, &[item(profile), transaction.clone()]),
        hashing(of("reset", None, &[updated(profile.clone())])),
        hashing(of("confirm", None, &[both(), update.clone()])),
        of("lock", None, &[updated(profile.clone())]),
        of("change-email", None, &[both(), ("GetItem", json!({})), update.clone()]),
        of("confirm-email", None, &[item(&changing), transaction.clone()]),
        Scenario {
            expected: Expected::Success,
            ..of("verify", None, &[updated(profile.clone()), items(&[profile, session])])
        },
        of("two entries", None, std::slice::from_ref(&stored)),
        named("receive-data-account", of_account),
        of("passkey-register", None, &[both(), item(created), transaction.clone()]),
        of(
            "passkey-login",
            Some(user),
            &[pair(asked, &passkey.pointer), items(&[&passkey.row, &owner, session]), transaction.clone()],
        ),
        of("remove-passkey", None, &[pair(&owner, session), transaction.clone()]),
        of("unlink-google", None, &[both(), transaction.clone()]),
    ];
    let (event, answers) = changed_password(profile, session);
    let [name, function] = ["notices"; 2];
    all.push(Scenario { name, function, hashes: false, answers, event, expected: Expected::Batch });
    all.push(authorizer(token, both()));
    let secret = (
        "GetSecretValue",
        json!({"ARN": "arn", "Name": "captcha", "SecretString": "0123456789abcdef0123456789abcdef"}),
    );
    let backend =
        [secret, item(profile), both(), items(&[profile, session]), put, update, transaction, deleted, stored];
    for endpoint in ENDPOINTS {
        if all.iter().all(|scenario| scenario.function != endpoint.name) {
            let plain = Scenario::of(endpoint.request(), values, None, backend.iter().cloned());
            all.push(Scenario { expected: Expected::Success, ..plain });
        }
    }
    Ok(all)
}

/// A request to another API with this session.
fn authorizer(token: &str, read: (&'static str, Value)) -> Scenario {
    let event = json!({
        "cookies": [format!("{COOKIE}{token}")], "requestContext": {"http": {"method": "GET"}, "requestId": "r"},
    });
    let [name, function] = ["authorizer"; 2];
    Scenario { name, function, hashes: false, answers: [read].into(), event, expected: Expected::Passed }
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
    async fn every_scenario_succeeds_and_makes_the_calls_that_it_has_answers_for() {
        let signer = Signer::first().unwrap();
        for scenario in all(&signer, Hash::Full).unwrap() {
            let calls = answered(&scenario, scenario.function, &signer).await;
            // A function without an expected answer has answers to all operations, and may call only some of them.
            let has_own_answers = !matches!(scenario.expected, Expected::Success);
            for operation in scenario.answers.keys().filter(|_| has_own_answers) {
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
        let scenarios = all(&signer, Hash::Full).unwrap();
        let login = scenarios.iter().find(|scenario| scenario.name == "login").unwrap();
        let Expected::Exactly { said, user, .. } = &login.expected else { panic!("a login has an answer") };
        let (body, without_user) = (whole(*said, user.as_ref()), whole(*said, None));
        let answer = |status: u16, body: &Value, cookies: &[&str]| {
            json!({"statusCode": status, "body": body.to_string(), "cookies": cookies}).to_string()
        };
        login.check(answer(200, &body, &[COOKIE]).as_bytes()).unwrap();
        for wrong in [
            answer(200, &body, &[]),
            answer(200, &without_user, &[COOKIE]),
            answer(200, &json!({}), &[COOKIE]),
            answer(500, &body, &[COOKIE]),
        ] {
            let error = login.check(wrong.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(&wrong[1..20]), "{error}");
        }
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
