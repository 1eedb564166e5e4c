//! `POST /app/auth/sendUserConfig.php`: changes the name, the avatar, the newsletter subscription and optionally the
//! password. A new password ends all sessions and opens a new one for the caller.

use serde::Deserialize;
use shared::account::avatar::Avatars;
use shared::log::audit::Event;
use shared::password::PersonalWords;
use shared::store::{Accounts, Opening, ProfileChanges};
use shared::{
    Call, CommonPasswords, Endpoint, Form, FullName, NewPassword, Passwords, Problem, ProofAge, Reply, Setup, Signed,
    success,
};
use zeroize::Zeroizing;

/// The endpoint.
pub struct UserConfig {
    accounts: Accounts,
    avatars: Avatars,
    common: CommonPasswords,
    passwords: Passwords,
    proof: ProofAge,
    opening: Opening,
}

/// The form.
#[derive(Deserialize)]
pub struct SettingsForm {
    name: Zeroizing<String>,
    avatar: Zeroizing<String>,
    password: Zeroizing<String>,
    #[serde(rename = "confirm_password")]
    confirmation: Zeroizing<String>,
    notifications: Zeroizing<String>,
}

impl Endpoint for UserConfig {
    const NAME: &'static str = "user-config";
    type Caller = Signed;
    type Body = Form<SettingsForm>;

    fn new(setup: &Setup) -> Self {
        Self {
            accounts: Accounts::new(setup),
            avatars: Avatars::new(setup.settings()),
            common: CommonPasswords::new(setup.settings()),
            passwords: Passwords::new(setup),
            proof: ProofAge::of_interface(setup),
            opening: Opening::new(setup),
        }
    }

    async fn answer(&self, call: Call<Signed, Form<SettingsForm>>) -> Result<Reply, Problem> {
        let Form(form) = call.body;
        let session = call.caller.session;
        let name = FullName::parse(&form.name)?;
        let avatar = self.avatars.parse(&form.avatar)?;
        // A confirmation without a password is an incomplete form. It is refused, so that no input is ignored silently.
        let password = match (form.password.is_empty(), form.confirmation.is_empty()) {
            (true, true) => None,
            (true, false) => return Err(Problem::PasswordsDiffer),
            (false, _) => {
                let personal = PersonalWords::of_account(&session.account, name.as_str());
                Some(NewPassword::parse(form.password, &form.confirmation, self.common, &personal)?.into_password())
            }
        };
        let accept_news = shared::checkbox(&form.notifications)?;
        let changes = ProfileChanges { name, avatar, accept_news };

        let reply = Reply::success(success::USER_CONFIG);
        let Some(password) = password else {
            let updated = self.accounts.update(&session.account, &changes).await?;
            return if updated { Ok(reply) } else { Err(Problem::NoSession) };
        };
        self.proof.require(&session)?;
        let password = self.passwords.hash(&password).await?;
        let user_agent = call.client.user_agent.as_deref();
        let opening = &self.opening;
        let opened = self.accounts.update_with_password(opening, &session, user_agent, &changes, &password).await?;
        let token = opened.ok_or(Problem::NoSession)?;
        let audit = call.audit.about_session(token.session_id());
        audit.record(Event::PasswordChanged, session.account.id);
        Ok(reply.opening(token))
    }
}
