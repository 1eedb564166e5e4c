//! `POST /app/auth/sendRegister.php`: creates an account. It does not open a session.

use serde::Deserialize;
use shared::log::audit::Event;
use shared::password::{PersonalWords, StoredPassword};
use shared::store::{Accounts, Ids};
use shared::{
    Account, Call, CommonPasswords, Email, Endpoint, Form, FullName, NewPassword, Passwords, Problem, Public, Reply,
    Setup, success,
};
use zeroize::Zeroizing;

/// The endpoint.
pub struct Register {
    accounts: Accounts,
    common: CommonPasswords,
    ids: Ids,
    passwords: Passwords,
    terms_version: Option<String>,
}

/// The form.
#[derive(Deserialize)]
pub struct RegistrationForm {
    #[serde(rename = "nombre")]
    name: Zeroizing<String>,
    email: Zeroizing<String>,
    password: Zeroizing<String>,
    #[serde(rename = "confirm-password")]
    confirmation: Zeroizing<String>,
    terms: Zeroizing<String>,
    notifications: Zeroizing<String>,
}

impl Endpoint for Register {
    const NAME: &'static str = "register";
    type Caller = Public;
    type Body = Form<RegistrationForm>;

    fn new(setup: &Setup) -> Self {
        Self {
            accounts: Accounts::new(setup),
            common: CommonPasswords::new(setup.settings()),
            ids: Ids::new(setup),
            passwords: Passwords::new(setup),
            terms_version: setup.settings().optional("TERMS_VERSION"),
        }
    }

    async fn answer(&self, call: Call<Public, Form<RegistrationForm>>) -> Result<Reply, Problem> {
        let Form(form) = call.body;
        let name = FullName::parse(&form.name)?;
        let email = Email::parse(&form.email)?;
        let personal = PersonalWords::of_owner(&email, name.as_str());
        let password = NewPassword::parse(form.password, &form.confirmation, self.common, &personal)?.into_password();
        if *form.terms != "on" {
            return Err(Problem::TermsNotAccepted);
        }
        let accept_news = shared::checkbox(&form.notifications)?;

        // If new ids have to be leased, this happens while the password is hashed.
        let (id, password) = tokio::try_join!(self.ids.next(), self.passwords.hash(&password))?;
        let mut account = Account::new(id, email, name.as_str().to_owned());
        account.accept_news = accept_news;
        account.password = StoredPassword::Hash(password);
        if !self.accounts.insert(account, self.terms_version.clone()).await? {
            return Err(Problem::EmailTaken);
        }
        call.audit.record(Event::AccountRegistered, id);
        Ok(Reply::success(success::REGISTER))
    }
}
