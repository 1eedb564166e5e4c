//! `POST /app/auth/sendLogin.php`: opens a session for an email address and a password.
//!
//! [`Login::answer`](Endpoint::answer) takes these steps:
//!
//! 1. Parse the address and the password, and check the captcha. This costs no hash.
//! 2. Read the account with its sessions, and count the attempt if failed logins are limited (`begin`).
//! 3. Verify the password, or a decoy, so that a refusal shows neither in its text nor in its duration whether there is
//!    an account.
//! 4. Replace an outdated hash, and forget the failed attempts.
//! 5. Open a session, on the condition that the account is still as it was read. If it has changed meanwhile, read it
//!    again, and go on only if the password is still right.

use serde::Deserialize;
use shared::account::avatar::Avatars;
use shared::captcha::Captcha;
use shared::log::audit::{Event, LoginFailure, Method};
use shared::password::Verdict;
use shared::store::{Accounts, Bucket, LoginLimit, Opening, Partition};
use shared::{
    Account, BrowserSecret, Call, Email, Endpoint, Fault, Form, Password, Passwords, Problem, Public, Reply, Setup,
    success,
};
use zeroize::Zeroizing;

/// The maximum number of attempts to open a session if other calls change the account at the same time.
const ROUNDS: usize = 4;

/// The endpoint.
pub struct Login {
    accounts: Accounts,
    avatars: Avatars,
    limit: LoginLimit,
    captcha: Captcha,
    passwords: Passwords,
    opening: Opening,
}

/// The form.
#[derive(Deserialize)]
pub struct LoginForm {
    email: Zeroizing<String>,
    password: Zeroizing<String>,
    #[serde(rename = "g-captcha-response")]
    captcha: Zeroizing<String>,
    /// The fields that the providers' widgets add to a form.
    #[serde(rename = "g-recaptcha-response")]
    recaptcha: Zeroizing<String>,
    #[serde(rename = "h-captcha-response")]
    hcaptcha: Zeroizing<String>,
    #[serde(rename = "cf-turnstile-response")]
    turnstile: Zeroizing<String>,
    altcha: Zeroizing<String>,
}

impl LoginForm {
    /// The token of the captcha, empty if there is none.
    fn captcha(&self) -> &str {
        let fields = [&self.captcha, &self.recaptcha, &self.hcaptcha, &self.turnstile, &self.altcha];
        fields.into_iter().find(|token| !token.is_empty()).map_or("", |token| token.as_str())
    }
}

impl Endpoint for Login {
    const NAME: &'static str = "login";
    type Caller = Public;
    type Body = Form<LoginForm>;

    fn new(setup: &Setup) -> Self {
        Self {
            accounts: Accounts::new(setup),
            avatars: Avatars::new(setup.settings()),
            limit: LoginLimit::new(setup),
            captcha: Captcha::new(setup),
            passwords: Passwords::new(setup).with_legacy_hashes(setup),
            opening: Opening::new(setup),
        }
    }

    async fn answer(&self, call: Call<Public, Form<LoginForm>>) -> Result<Reply, Problem> {
        // The first invalid field decides the answer.
        let Form(form) = call.body;
        let email = Email::parse(&form.email)?;
        let captcha = Zeroizing::new(form.captcha().to_owned());
        let password = Password::parse(form.password)?;
        self.captcha.check(&captcha).await?;

        let (partition, bucket, is_allowed) = Box::pin(self.begin(&email, call.client.secret.as_ref())).await?;
        // A decoy hash is computed if the account is unknown, disabled or without a password, or if the limit of failed
        // logins is reached. Answer and time are then the same as for a wrong password.
        let id = partition.as_ref().map(|partition| partition.account().id);
        let is_disabled = partition.as_ref().is_some_and(|partition| partition.account().is_disabled());
        let partition = partition.filter(|_| is_allowed && !is_disabled);
        let stored = partition.as_ref().and_then(|partition| partition.account().password.hash());
        let verdict = self.passwords.verify(stored, &password).await?;
        let Some(mut partition) = partition.filter(|_| verdict != Verdict::Wrong) else {
            let failure = match (is_allowed, is_disabled) {
                (false, _) => LoginFailure::TooManyFailures,
                (true, true) => LoginFailure::AccountDisabled,
                (true, false) => LoginFailure::WrongCredentials,
            };
            call.audit.record(Event::LoginFailed(failure), id);
            return Err(Problem::WrongCredentials);
        };

        if verdict == Verdict::RightButOutdated {
            let hash = self.passwords.hash(&password).await?;
            self.accounts.upgrade_hash(partition.account(), &hash).await?;
        }
        self.limit.forget(&bucket).await?;
        let mut failure = LoginFailure::WrongCredentials;
        for _ in 0..ROUNDS {
            let account = partition.account();
            if let Some(opened) = self.opening.open(&partition, call.client.browser(), Method::Password).await? {
                let audit = call.audit.of_session(opened.token.session_id());
                audit.record(Event::LoginSucceeded(Method::Password), account.id);
                return Ok(Reply::success(success::LOGIN).user(account, &self.avatars)?.opened(opened));
            }
            // The account was deleted, or all its sessions were ended, for example by a new password.
            let Some(again) = self.accounts.partition(&email).await? else { break };
            if !self.is_still_right(again.account(), account, &password).await? {
                if again.account().id == account.id && again.account().is_disabled() {
                    failure = LoginFailure::AccountDisabled;
                }
                break;
            }
            partition = again;
        }
        call.audit.record(Event::LoginFailed(failure), partition.account().id);
        Err(Problem::WrongCredentials)
    }
}

impl Login {
    /// Reads the account, counts the attempt, and returns whether it is allowed.
    async fn begin(
        &self,
        email: &Email,
        browser: Option<&BrowserSecret>,
    ) -> Result<(Option<Partition>, Bucket, bool), Fault> {
        if browser.is_none() {
            let bucket = Bucket::of_unknown_browsers(email);
            let (partition, is_allowed) = tokio::try_join!(self.accounts.partition(email), self.limit.take(&bucket))?;
            return Ok((partition, bucket, is_allowed));
        }
        let partition = self.accounts.partition(email).await?;
        let bucket = Bucket::of_browser(email, partition.as_ref().map(Partition::account), browser);
        let is_allowed = self.limit.take(&bucket).await?;
        Ok((partition, bucket, is_allowed))
    }

    /// Whether an account that was read again may be used, and still has the password that was verified. This login or
    /// another one may have replaced the hash, so another hash is verified too.
    async fn is_still_right(&self, again: &Account, before: &Account, password: &Password) -> Result<bool, Fault> {
        if again.id != before.id || again.is_disabled() {
            return Ok(false);
        }
        if again.password.hash() == before.password.hash() {
            return Ok(true);
        }
        Ok(self.passwords.verify(again.password.hash(), password).await? != Verdict::Wrong)
    }
}
