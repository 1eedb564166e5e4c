//! A visitor: the user of a browser, with an email address and the session cookie.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, COOKIE};
use serde_json::{Value, json};
use shared::system::clock::{Clock, SystemClock};

use crate::{Answer, Service, paths};

/// A valid password.
pub const PASSWORD: &str = "Contraseña1";

/// How often a visitor checks for a letter, and the pause between two checks.
const CHECKS: usize = 300;
const PAUSE: Duration = Duration::from_millis(100);

/// A browser's user.
#[derive(Clone)]
pub struct Visitor {
    /// The service that is visited.
    pub service: Service,
    /// A unique address.
    pub email: String,
    /// `name=value` of the session cookie, once there is one.
    pub cookie: Option<String>,
    /// `name=value` of the known-browser cookie, once there is one.
    pub browser: Option<String>,
}

/// The page that the links of notices open.
const LOCK_PAGE: &str = "no-fui-yo";

impl Visitor {
    /// A visitor with a unique address at `example.com`, or in the pattern `VISITOR_ADDRESS`, where `{}` is the unique
    /// part.
    pub(crate) fn new(service: Service) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let run = (SystemClock.now().milliseconds() << 20) | u64::from(std::process::id());
        let address = std::env::var("VISITOR_ADDRESS").unwrap_or_else(|_| "{}@example.com".to_owned());
        Self { service, email: address.replace("{}", &format!("ana-{run:x}-{number}")), cookie: None, browser: None }
    }

    /// The same person on another device, without a session.
    pub fn elsewhere(&self) -> Self {
        Self { cookie: None, browser: None, ..self.clone() }
    }

    /// The same person on another device, with a session.
    ///
    /// # Panics
    /// The login is refused.
    pub async fn on_another_device(&self) -> Self {
        let mut device = self.elsewhere();
        let login = device.login(PASSWORD).await;
        assert_eq!(login.success(), true, "{login:?}");
        device
    }

    /// The same browser, without a session.
    pub fn without_session(&self) -> Self {
        Self { cookie: None, ..self.clone() }
    }

    /// A request with the header and the cookies.
    pub fn request(&self, path: &str) -> reqwest::RequestBuilder {
        let request = self.service.request("POST", path).header("X-Requested-With", "XMLHttpRequest");
        let cookies: Vec<_> = self.cookie.iter().chain(&self.browser).map(String::as_str).collect();
        if cookies.is_empty() { request } else { request.header(COOKIE, cookies.join("; ")) }
    }

    /// Sends a request and handles the cookies like a browser.
    pub async fn send(&mut self, request: reqwest::RequestBuilder) -> Answer {
        let answer = self.service.send(request).await;
        if answer.ended() {
            self.cookie = None;
        }
        self.cookie = answer.opened().or(self.cookie.take());
        self.browser = answer.known_browser().or(self.browser.take());
        answer
    }

    /// Posts a URL-encoded form.
    pub async fn form(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        self.send(self.request(path).form(fields)).await
    }

    /// Posts a text as JSON.
    pub async fn json(&mut self, path: &str, text: impl Into<String>) -> Answer {
        self.send(self.request(path).header(CONTENT_TYPE, "application/json").body(text.into())).await
    }

    /// Registers with [`PASSWORD`].
    pub async fn register(&mut self) -> Answer {
        self.register_with(&[]).await
    }

    /// Registers like [`Visitor::register`], with these fields changed.
    pub async fn register_with(&mut self, changes: &[(&str, &str)]) -> Answer {
        let email = self.email.clone();
        let mut fields = vec![
            ("nombre", "Ana García"),
            ("email", &email),
            ("password", PASSWORD),
            ("confirm-password", PASSWORD),
            ("terms", "on"),
        ];
        fields.retain(|(name, _)| changes.iter().all(|(changed, _)| changed != name));
        fields.extend(changes);
        self.form(paths::REGISTER, &fields).await
    }

    /// Logs in.
    pub async fn login(&mut self, password: &str) -> Answer {
        let email = self.email.clone();
        self.form(paths::LOGIN, &[("email", &email), ("password", password)]).await
    }

    /// Registers.
    pub async fn registered(mut self) -> Self {
        let registered = self.register().await;
        assert_eq!(registered.success(), true, "{registered:?}");
        self
    }

    /// Registers and logs in.
    pub async fn signed_in(self) -> Self {
        let mut registered = self.registered().await;
        let login = registered.login(PASSWORD).await;
        assert_eq!(login.success(), true, "{login:?}");
        registered
    }

    /// Calls the session endpoint.
    pub async fn session(&mut self) -> Answer {
        self.form(paths::SESSION, &[]).await
    }

    /// The sessions that the list shows: all live ones of the account.
    pub async fn sessions(&mut self) -> Vec<Value> {
        let answer = self.form(paths::LIST_SESSIONS, &[]).await.json();
        answer.get("sessions").and_then(Value::as_array).cloned().unwrap_or_default()
    }

    /// The ids of the sessions that are not the visitor's own.
    pub async fn other_sessions(&mut self) -> Vec<String> {
        let id = |session: &Value| Some(session.get("id")?.as_str()?.to_owned());
        let is_other = |session: &&Value| session.get("current") == Some(&Value::Bool(false));
        self.sessions().await.iter().filter(is_other).filter_map(id).collect()
    }

    /// Logs in with a credential of the identity provider for this address. The claims override its own.
    pub async fn google(&mut self, claims: Value) -> Answer {
        let credential = self.credential(claims).await;
        self.json(paths::GOOGLE_LOGIN, json!({"credential": credential}).to_string()).await
    }

    /// The answer to the form that the identity provider's page posts with such a credential, without other cookies.
    pub async fn google_page(&self, claims: Value) -> Answer {
        let credential = self.credential(claims).await;
        let page = self.service.request("POST", paths::GOOGLE_REDIRECT).header(COOKIE, "g_csrf_token=a");
        self.service.send(page.form(&[("credential", &*credential), ("g_csrf_token", "a")])).await
    }

    /// A credential of the identity provider for this address. The claims override its own.
    pub async fn credential(&self, claims: Value) -> String {
        let mut all = json!({"email": self.email});
        if let (Some(all), Value::Object(claims)) = (all.as_object_mut(), claims) {
            all.extend(claims);
        }
        self.service.credential(&all).await
    }

    /// Requests a reset mail for the address.
    pub async fn ask_for_reset(&mut self) -> Answer {
        let email = self.email.clone();
        self.form(paths::SEND_RESET_LINK, &[("email", &email)]).await
    }

    /// Requests a reset mail, and returns the token in the newest one.
    pub async fn reset_token(&mut self) -> String {
        let sent = self.ask_for_reset().await;
        assert_eq!(sent.success(), true, "{sent:?}");
        self.newest_token().await
    }

    /// Requests a verification link from another session, and returns its token.
    pub async fn verification_token(&self) -> String {
        let mut elsewhere = self.on_another_device().await;
        let sent = elsewhere.form(paths::SEND_VERIFICATION, &[]).await;
        assert_eq!(sent.success(), true, "{sent:?}");
        self.newest_token().await
    }

    /// Verifies the address with the token of a link.
    ///
    /// # Panics
    /// It is refused.
    pub async fn prove_address(&mut self) {
        let token = self.verification_token().await;
        let verified = self.verify(&token).await;
        assert_eq!(verified.success(), true, "{verified:?}");
    }

    /// Verifies the address with a token.
    pub async fn verify(&mut self, token: &str) -> Answer {
        self.form(paths::VERIFY_EMAIL, &[("token", token)]).await
    }

    /// The token of the newest mailed link that is no notice's.
    ///
    /// # Panics
    /// There is none.
    pub async fn newest_token(&self) -> String {
        let newest = self.mailed_tokens().await.into_iter().next();
        newest.expect("a mail with a token")
    }

    /// The tokens of the mailed reset links and verification links, newest first.
    pub async fn mailed_tokens(&self) -> Vec<String> {
        let links = self.mailed_links().await.into_iter().filter(|(page, _)| page != LOCK_PAGE);
        links.map(|(_, token)| token).collect()
    }

    /// The tokens of the notices, newest first.
    pub async fn lock_tokens(&self) -> Vec<String> {
        let links = self.mailed_links().await.into_iter().filter(|(page, _)| page == LOCK_PAGE);
        links.map(|(_, token)| token).collect()
    }

    /// The page and the token of each mailed link, newest first.
    async fn mailed_links(&self) -> Vec<(String, String)> {
        let mails = self.service.mails(&self.email).await;
        let texts = mails.iter().filter_map(|mail| mail.get("text").and_then(Value::as_str));
        let links = texts.filter_map(|text| {
            let link = text.split_whitespace().find(|word| word.contains("?token="))?;
            let (page, token) = link.split_once("?token=")?;
            Some((page.rsplit('/').next()?.to_owned(), token.to_owned()))
        });
        links.collect()
    }

    /// Exports the account from another session, and returns the token of the notice about it. Notices come after the
    /// answer, so this waits.
    ///
    /// # Panics
    /// None comes within half a minute.
    pub async fn lock_token(&self) -> String {
        self.exported_elsewhere().await;
        self.first_letter("Alguien ha descargado los datos de tu cuenta").await;
        self.lock_tokens().await.swap_remove(0)
    }

    /// Exports the account from another session, of which a notice is sent.
    ///
    /// # Panics
    /// It is refused.
    pub async fn exported_elsewhere(&self) {
        let mut elsewhere = self.on_another_device().await;
        let exported = elsewhere.form(paths::EXPORT_ACCOUNT, &[]).await;
        assert_eq!(exported.success(), true, "{exported:?}");
        elsewhere.form(paths::LOGOUT, &[]).await;
    }

    /// Presses the button of the page that a notice links to.
    pub async fn lock(&mut self, token: &str) -> Answer {
        self.form(paths::LOCK_ACCOUNT, &[("token", token)]).await
    }

    /// Proves with the password who the visitor is.
    pub async fn confirm(&mut self, password: &str) -> Answer {
        self.form(paths::CONFIRM, &[("password", password)]).await
    }

    /// Another address of the same person.
    pub fn new_email(&self) -> String {
        format!("new-{}", self.email)
    }

    /// Asks for a change of address, and returns the token in the mail to the new one.
    ///
    /// # Panics
    /// It is refused.
    pub async fn change_token(&mut self, email: &str) -> String {
        let sent = self.change_email(email).await;
        assert_eq!(sent.success(), true, "{sent:?}");
        Self { email: email.to_owned(), ..self.clone() }.newest_token().await
    }

    /// Asks for a change of address.
    pub async fn change_email(&mut self, email: &str) -> Answer {
        self.form(paths::CHANGE_EMAIL, &[("email", email)]).await
    }

    /// Changes the address with the token of the link to the new one.
    pub async fn confirm_email(&mut self, token: &str) -> Answer {
        self.form(paths::CONFIRM_EMAIL, &[("token", token)]).await
    }

    /// The same person in the same browser, after the address has changed to this one.
    ///
    /// # Panics
    /// The change is refused.
    pub async fn moved_to(mut self, email: &str) -> Self {
        let token = self.change_token(email).await;
        let changed = self.confirm_email(&token).await;
        assert_eq!(changed.success(), true, "{changed:?}");
        email.clone_into(&mut self.email);
        self
    }

    /// The first letter to this address with this subject. Letters about a change come after the answer, so this waits.
    pub async fn first_letter(&self, subject: &str) -> Value {
        let mut found = None;
        for _ in 0..CHECKS {
            let mails = self.service.mails(&self.email).await;
            found = mails.into_iter().rfind(|mail| mail.get("subject").is_some_and(|told| told == subject));
            if found.is_some() {
                break;
            }
            tokio::time::sleep(PAUSE).await;
        }
        assert!(found.is_some(), "no letter about {subject:?}");
        found.unwrap_or_default()
    }

    /// As [`Visitor::reset`], with this word in the field `passkeys`.
    pub async fn reset_with(&mut self, token: &str, password: &str, passkeys: &str) -> Answer {
        let fields = [("token", token), ("new_password", password), ("confirm_password", password)];
        self.form(paths::RESET_PASSWORD, &[&fields[..], &[("passkeys", passkeys)]].concat()).await
    }

    /// Requests a reset mail and sets a new password with its token.
    ///
    /// # Panics
    /// It is refused.
    pub async fn reset_to(&mut self, password: &str) {
        let token = self.reset_token().await;
        let reset = self.reset(&token, password).await;
        assert_eq!(reset.success(), true, "{reset:?}");
    }

    /// Sets a new password in the settings.
    pub async fn set_password(&mut self, password: &str) -> Answer {
        let fields = [("name", "Ana"), ("password", password), ("confirm_password", password)];
        self.form(paths::USER_CONFIG, &fields).await
    }

    /// Sets a new password with a reset token.
    pub async fn reset(&mut self, token: &str, password: &str) -> Answer {
        let fields = [("token", token), ("new_password", password), ("confirm_password", password)];
        self.form(paths::RESET_PASSWORD, &fields).await
    }
}
