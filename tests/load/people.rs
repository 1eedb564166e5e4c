//! The journeys of the simulated users. Each journey is that of a new user, records what was acknowledged, and fails at
//! the first unexpected answer.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hdrhistogram::Histogram;
use journeys::requests::Values;
use journeys::{Answer, ENDPOINTS, Endpoint, FRONT_END, PASSWORD, Request, Service, Visitor, paths};
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

/// Makes the first request of each endpoint in the catalogue, each as a new user.
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
        let values = endpoint.request().values(&mut self.visitor).await;
        if endpoint.path == paths::CONFIRM_EMAIL {
            self.account.email = self.visitor.new_email();
            self.note(Standing::Open);
        }
        let start = Instant::now();
        let answer = endpoint.request().call(&values).by(&mut self.visitor).await;
        self.record(endpoint.path, start);
        assert!(matches!(answer.status, 200 | 303) && answer.success() != false, "{}: {answer:?}", endpoint.path);
    }

    async fn register_and_change_settings(&mut self) {
        self.register().await;
        self.ask("login with a wrong password", &[("new-password", "Equivocado1")]).await;
        self.log_in().await;
        self.check_the_session().await;
        self.change_settings().await;
        self.check_the_session().await;
        self.ask("logout", &[]).await;
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
        self.ask("logout", &[]).await;
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
        self.ask("reset-link", &[]).await;
        let token = self.visitor.newest_token().await;
        let password = format!("Repuesto{}", number());
        let after = Account { password: Some(password.clone()), ..self.account.clone() };
        self.write("reset", &[("token", &token), ("new-password", &password)], after).await;
        self.log_in().await;
        self.check_the_session().await;
        self.ask("logout", &[]).await;
    }

    async fn delete_the_account(&mut self) {
        self.register().await;
        self.log_in().await;
        self.note(Standing::Open);
        self.ask("delete", &[]).await;
        self.note(Standing::Deleted(self.account.clone()));
    }

    async fn register(&mut self) {
        let account = self.account.clone();
        let news: &[_] = if account.news { &[("news", "on")] } else { &[] };
        self.write("register", news, account).await;
    }

    async fn log_in(&mut self) {
        self.ask("login", &[]).await;
    }

    /// Reads the session, which must show the account as it was last acknowledged.
    async fn check_the_session(&mut self) {
        for _ in 0..3 {
            let answer = self.ask("session", &[]).await;
            assert_eq!(self.account.difference(&answer["user"]), None);
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
        let (password, avatar) = (format!("Cambiado{number}"), format!("{FRONT_END}/assets/avatars/{}", after.avatar));
        let name = after.name.clone();
        let mut values = vec![("new-name", &*name), ("avatar", &avatar), ("new-password", &password)];
        if after.news {
            values.push(("news", "on"));
        }
        if is_new {
            after.password = Some(password.clone());
        }
        self.write(if is_new { "new-password" } else { "settings" }, &values, after).await;
    }

    /// Sends JSON in redirect mode too. A form would be redirected to a front end that does not run here.
    async fn google(&mut self, path: &'static str) -> Answer {
        let credential = self.visitor.credential(json!({"name": self.account.name})).await;
        self.json(path, &json!({"credential": credential}).to_string(), &[]).await
    }

    /// Makes a request that changes the account to `after`.
    async fn write(&mut self, request: &str, values: &[(&'static str, &str)], after: Account) {
        self.note(Standing::Open);
        self.ask(request, values).await;
        self.account = after;
        self.note(Standing::Acknowledged(self.account.clone()));
    }

    /// Makes the request of the catalogue with this name, and asserts that the answer is the expected one. The account
    /// has the values that are not given. Returns the body of the answer.
    async fn ask(&mut self, request: &str, more: &[(&'static str, &str)]) -> Value {
        let Account { email, password, name, .. } = &self.account;
        let (request, password) = (Request::named(request), password.as_deref().unwrap_or_default());
        let mut values = Values::from([("email", email.as_str()), ("password", password), ("name", name)]);
        for (name, value) in more {
            values.set(name, *value);
        }
        let start = Instant::now();
        let answer = request.call(&values).by(&mut self.visitor).await;
        self.record(request.path, start);
        assert!(request.answer.is(answer.status, &answer.json()), "{}: {answer:?}", request.name);
        answer.json()
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
