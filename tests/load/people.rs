//! The journeys of the simulated users. Each journey is that of a new user, records what was acknowledged, and fails at
//! the first unexpected answer.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hdrhistogram::Histogram;
use journeys::authenticator::{Algorithm, Authenticator};
use journeys::sentences::WRONG_CREDENTIALS;
use journeys::{Answer, ENDPOINTS, Endpoint, FRONT_END, PASSWORD, Service, Visitor, paths};
use reqwest::RequestBuilder;
use serde_json::{Value, json};
use shared::success;
use tokio::time::Instant;

use crate::books::{Account, Books, Standing};

/// The number of significant digits of a response time.
const DIGITS: u8 = 3;

static COUNT: AtomicUsize = AtomicUsize::new(0);

/// A number that is unique in this run.
fn number() -> usize {
    COUNT.fetch_add(1, Ordering::Relaxed)
}

/// A simulated user with a browser.
struct Person {
    visitor: Visitor,
    account: Account,
    books: Arc<Mutex<Books>>,
}

/// The endpoints that [`call_every_endpoint`] leaves out: the stack is not its own captcha provider, and the books
/// record only unique entries.
const LEFT_OUT: [&str; 2] = [paths::CAPTCHA, paths::RECEIVE_DATA];

/// Runs the journey of a new user. Of ten users, three change their settings, two log in with Google, two send data,
/// one resets the password, one deletes the account, and one makes one call to each endpoint, each as a new user.
pub(crate) async fn journey(service: Service, books: Arc<Mutex<Books>>) {
    static JOURNEYS: AtomicUsize = AtomicUsize::new(0);
    let number = number();
    let mut person = Person::new(&service, Arc::clone(&books), number, format!("Secreto{number}"));
    match JOURNEYS.fetch_add(1, Ordering::Relaxed) % 10 {
        0 | 3 | 6 => person.register_and_change_settings().await,
        1 | 4 => person.log_in_with_google().await,
        2 | 5 => person.send_data().await,
        7 => person.reset_the_password().await,
        8 => person.delete_the_account().await,
        _ => call_every_endpoint(&service, &books).await,
    }
}

/// Calls each endpoint as its row in `tests/support/endpoints.rs` says, each as a new user.
async fn call_every_endpoint(service: &Service, books: &Arc<Mutex<Books>>) {
    for endpoint in ENDPOINTS.iter().filter(|endpoint| !LEFT_OUT.contains(&endpoint.path)) {
        let mut person = Person::new(service, Arc::clone(books), number(), PASSWORD.to_owned());
        if endpoint.path != paths::REGISTER {
            person.register().await;
            person.log_in().await;
        }
        person.call(endpoint).await;
    }
}

impl Person {
    fn new(service: &Service, books: Arc<Mutex<Books>>, number: usize, password: String) -> Self {
        let visitor = service.visitor();
        let account = Account {
            email: visitor.email.clone(),
            password: Some(password),
            name: format!("Persona {number}"),
            avatar: "default.jpeg".to_owned(),
            news: number.is_multiple_of(2),
        };
        Self { visitor, account, books }
    }

    /// Makes the call that succeeds. Its changes are not known here, so nothing is claimed about the account
    /// afterwards.
    async fn call(&mut self, endpoint: &Endpoint) {
        self.note(Standing::Open);
        let own = endpoint.own(&mut self.visitor).await;
        let start = Instant::now();
        let answer = endpoint.call_with(&own, &mut self.visitor).await;
        self.record(endpoint.path, start);
        assert!(matches!(answer.status, 200 | 303) && answer.success() != false, "{}: {answer:?}", endpoint.path);
    }

    async fn register_and_change_settings(&mut self) {
        self.register().await;
        let email = self.account.email.clone();
        let mistyped = [("email", &*email), ("password", "Equivocado1")];
        self.form(paths::LOGIN, &mistyped, WRONG_CREDENTIALS.1).await;
        self.log_in().await;
        self.prove_the_address().await;
        self.use_a_passkey().await;
        self.check_the_session().await;
        self.change_settings().await;
        self.check_the_session().await;
        self.form(paths::LOGOUT, &[], success::LOGOUT).await;
    }

    /// The first login creates the account, and the second one, in redirect mode, finds it.
    async fn log_in_with_google(&mut self) {
        (self.account.password, self.account.news) = (None, false);
        self.note(Standing::Open);
        let answer = self.google(paths::GOOGLE_LOGIN).await;
        assert_eq!(answer.json()["status"], "inserted", "{answer:?}");
        self.note(Standing::Acknowledged(self.account.clone()));
        self.check_the_session().await;
        self.change_settings().await;
        self.form(paths::LOGOUT, &[], success::LOGOUT).await;
        let answer = self.google(paths::GOOGLE_REDIRECT).await;
        assert_eq!(answer.json()["status"], "exists", "{answer:?}");
        self.check_the_session().await;
    }

    /// Sends a small and a large list of entries, each of them twice with the same key. They must be stored once.
    async fn send_data(&mut self) {
        for count in [3, 30] {
            let (email, number) = (&self.account.email, number());
            let entries = (0..count).map(|index| json!({"de": email, "lote": number, "indice": index}).to_string());
            let (entries, key): (Vec<String>, _) = (entries.collect(), format!("{email}-{number}"));
            let text = format!("[{}]", entries.join(","));
            self.books().entries.extend(entries.iter().map(|entry| (entry.clone(), false)));
            for _ in 0..2 {
                let answer = self.json(paths::RECEIVE_DATA, &text, &[("Idempotency-Key", &key)]).await;
                assert_eq!(answer.sentence(), (200, success::RECEIVE_DATA.to_owned()));
            }
            let mut books = self.books();
            books.writes += 1;
            books.entries.extend(entries.into_iter().map(|entry| (entry, true)));
        }
    }

    async fn reset_the_password(&mut self) {
        self.register().await;
        let email = self.account.email.clone();
        self.form(paths::SEND_RESET_LINK, &[("email", &email)], success::SEND_RESET_LINK).await;
        let token = self.visitor.mailed_tokens().await.into_iter().next().expect("a mail with a token");
        let password = format!("Repuesto{}", number());
        let fields = [("token", &*token), ("new_password", &password), ("confirm_password", &password)];
        let after = Account { password: Some(password.clone()), ..self.account.clone() };
        self.write(paths::RESET_PASSWORD, &fields, success::RESET_PASSWORD, after).await;
        self.log_in().await;
        self.check_the_session().await;
        self.look_at_the_account().await;
        self.form(paths::LOGOUT, &[], success::LOGOUT).await;
    }

    /// Verifies the address with the link in a mail.
    async fn prove_the_address(&mut self) {
        self.form(paths::SEND_VERIFICATION, &[], success::SEND_VERIFICATION).await;
        let token = self.visitor.mailed_tokens().await.into_iter().next().expect("a mail with a token");
        self.form(paths::VERIFY_EMAIL, &[("token", &token)], success::VERIFY_EMAIL).await;
    }

    /// Creates a passkey, logs in with it, and removes it.
    async fn use_a_passkey(&mut self) {
        let mut authenticator = Authenticator::new(Algorithm::Es256, FRONT_END);
        let options = self.ask(paths::PASSKEY_REGISTER_OPTIONS).await;
        let body = json!({"credential": authenticator.create(&options).json(), "name": "Mi portátil"}).to_string();
        let created = self.json(paths::PASSKEY_REGISTER, &body, &[]).await;
        assert_eq!(created.sentence(), (200, success::PASSKEY_CREATED.to_owned()));
        let options = self.ask(paths::PASSKEY_LOGIN_OPTIONS).await;
        let answer = authenticator.get(&options);
        let body = json!({"credential": authenticator.sign(&answer)}).to_string();
        let login = self.json(paths::PASSKEY_LOGIN, &body, &[]).await;
        assert_eq!(login.sentence(), (200, success::LOGIN.to_owned()));
        let listed = self.ask(paths::LIST_PASSKEYS).await;
        let id = listed["passkeys"][0]["id"].as_str().expect("a passkey").to_owned();
        self.form(paths::REMOVE_PASSKEY, &[("id", &id)], success::PASSKEY_REMOVED).await;
    }

    /// Posts an empty body, and returns the answer.
    async fn ask(&mut self, path: &'static str) -> Value {
        let answer = self.send(path, self.visitor.request(path)).await;
        assert_eq!(answer.success(), true, "{answer:?}");
        answer.json()
    }

    /// Reads the sessions and the export, and ends all other sessions.
    async fn look_at_the_account(&mut self) {
        for (path, member) in [(paths::LIST_SESSIONS, "sessions"), (paths::EXPORT_ACCOUNT, "entries")] {
            let answer = self.send(path, self.visitor.request(path)).await;
            assert!(answer.status == 200 && answer.json()[member].is_array(), "{answer:?}");
        }
        self.form(paths::CLOSE_SESSION, &[("others", "on")], success::LOGOUT).await;
        self.check_the_session().await;
    }

    async fn delete_the_account(&mut self) {
        self.register().await;
        self.log_in().await;
        self.note(Standing::Open);
        self.form(paths::DELETE_ACCOUNT, &[], success::DELETE_ACCOUNT).await;
        self.note(Standing::Deleted(self.account.clone()));
    }

    async fn register(&mut self) {
        let Account { email, password, name, news, .. } = self.account.clone();
        let password = password.unwrap_or_default();
        let fields = [
            ("nombre", &*name),
            ("email", &email),
            ("password", &password),
            ("confirm-password", &password),
            ("terms", "on"),
            ("notifications", on(news)),
        ];
        self.write(paths::REGISTER, &fields, success::REGISTER, self.account.clone()).await;
    }

    async fn log_in(&mut self) {
        let Account { email, password, .. } = self.account.clone();
        let fields = [("email", &*email), ("password", &password.unwrap_or_default())];
        self.form(paths::LOGIN, &fields, success::LOGIN).await;
    }

    /// Reads the session, which must show the account as it was last acknowledged.
    async fn check_the_session(&mut self) {
        for _ in 0..3 {
            let answer = self.send(paths::SESSION, self.visitor.request(paths::SESSION)).await;
            assert_eq!(self.account.difference(&answer.json()["user"]), None);
        }
    }

    /// Changes the settings. A third of the users with a password also change it.
    async fn change_settings(&mut self) {
        let number = number();
        let mut after = self.account.clone();
        after.name = format!("{} de {number}", after.name);
        after.news = !after.news;
        after.avatar = format!("{:02}.jpeg", 1 + number % 10);
        let is_new = number.is_multiple_of(3) && after.password.is_some();
        let password = if is_new { format!("Cambiado{number}") } else { String::new() };
        let avatar = format!("{FRONT_END}/assets/avatars/{}", after.avatar);
        let (name, notifications) = (after.name.clone(), on(after.news));
        let fields = [
            ("name", &*name),
            ("avatar", &avatar),
            ("password", &password),
            ("confirm_password", &password),
            ("notifications", notifications),
        ];
        if is_new {
            after.password = Some(password.clone());
        }
        self.write(paths::USER_CONFIG, &fields, success::USER_CONFIG, after).await;
    }

    /// Sends JSON in redirect mode too. A form would be redirected to a front end that does not run here.
    async fn google(&mut self, path: &'static str) -> Answer {
        let credential = self.visitor.credential(json!({"name": self.account.name})).await;
        self.json(path, &json!({"credential": credential}).to_string(), &[]).await
    }

    /// Posts a form that changes the account to `after`.
    async fn write(&mut self, path: &'static str, fields: &[(&str, &str)], message: &str, after: Account) {
        self.note(Standing::Open);
        self.form(path, fields, message).await;
        self.account = after;
        self.note(Standing::Acknowledged(self.account.clone()));
    }

    /// Posts a form and asserts that the answer has this message.
    async fn form(&mut self, path: &'static str, fields: &[(&str, &str)], message: &str) {
        let answer = self.send(path, self.visitor.request(path).form(fields)).await;
        assert_eq!(answer.sentence(), (200, message.to_owned()), "{path}");
    }

    async fn json(&mut self, path: &'static str, text: &str, headers: &[(&str, &str)]) -> Answer {
        let request = self.visitor.request(path).header("Content-Type", "application/json").body(text.to_owned());
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        self.send(path, request).await
    }

    async fn send(&mut self, path: &'static str, request: RequestBuilder) -> Answer {
        let start = Instant::now();
        let answer = self.visitor.send(request).await;
        self.record(path, start);
        answer
    }

    /// Records the time of an answer.
    fn record(&self, path: &'static str, start: Instant) {
        let took = u64::try_from(start.elapsed().as_micros()).unwrap();
        let new = || Histogram::new(DIGITS).unwrap();
        self.books().times.entry(path).or_insert_with(new).record(took).unwrap();
    }

    fn note(&self, standing: Standing) {
        let mut books = self.books();
        books.writes += usize::from(!matches!(standing, Standing::Open));
        books.accounts.insert(self.account.email.clone(), standing);
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn on(checked: bool) -> &'static str {
    if checked { "on" } else { "" }
}
