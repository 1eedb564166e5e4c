//! `POST /app/auth/sendRegister.php`: makes an account. It opens no session.

use shared::audit::Event;
use shared::avatar::Avatars;
use shared::store::{Accounts, Ids, NewAccount};
use shared::{
    Call, Email, Endpoint, Fields, Form, FromFields, FullName, NewPassword, Passwords, Problem, Public, Reply, Setup,
    body::Unreadable, success,
};
use zeroize::Zeroizing;

/// The endpoint.
pub struct Register {
    accounts: Accounts,
    avatars: Avatars,
    ids: Ids,
    passwords: Passwords,
}

/// The form.
pub struct Registration {
    name: Zeroizing<String>,
    email: Zeroizing<String>,
    password: Zeroizing<String>,
    confirmation: Zeroizing<String>,
    terms: Zeroizing<String>,
    notifications: Zeroizing<String>,
}

impl FromFields for Registration {
    fn from_fields(fields: &mut Fields) -> Result<Self, Unreadable> {
        Ok(Self {
            name: fields.take("nombre")?,
            email: fields.take("email")?,
            password: fields.take("password")?,
            confirmation: fields.take("confirm-password")?,
            terms: fields.take("terms")?,
            notifications: fields.take("notifications")?,
        })
    }
}

impl Endpoint for Register {
    const NAME: &'static str = "register";
    type Caller = Public;
    type Body = Form<Registration>;

    fn new(setup: &Setup) -> Self {
        Self {
            accounts: Accounts::new(setup),
            avatars: Avatars::new(setup),
            ids: Ids::new(setup),
            passwords: Passwords::new(setup),
        }
    }

    async fn answer(&self, call: Call<Public, Form<Registration>>) -> Result<Reply, Problem> {
        let Form(form) = call.body;
        let name = FullName::parse(&form.name)?;
        let email = Email::parse(&form.email)?;
        let password = NewPassword::parse(form.password, &form.confirmation)?.into_password();
        if *form.terms != "on" {
            return Err(Problem::TermsNotAccepted);
        }
        let accept_news = shared::checkbox(&form.notifications)?;

        // The id is leased while the password is being hashed.
        let (id, password) = tokio::try_join!(self.ids.next(), self.passwords.hash(&password))?;
        let url_image = self.avatars.default_address();
        let new = NewAccount { id, email, name, url_image, accept_news, password };
        if !self.accounts.insert(new).await? {
            return Err(Problem::EmailTaken);
        }
        call.audit.record(Event::AccountRegistered, id);
        Ok(Reply::success(success::REGISTER))
    }
}
