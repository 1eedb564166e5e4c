//! `POST /app/auth/google-callback.php`: the identity provider's page posts its credential here in
//! redirect mode, and the browser goes on to the front end. A script may post here too, and is
//! answered as by `google-callback-login.php`.

mod door;

use google_login::SignIn;
use shared::google::Credentials;
use shared::{Call, Endpoint, Problem, Reply, Setup};

use door::{Credential, Door};

/// The endpoint.
pub struct GoogleRedirect {
    credentials: Credentials,
    front_end: String,
    sign_in: SignIn,
}

impl Endpoint for GoogleRedirect {
    const NAME: &'static str = "google-redirect";
    type Caller = Door;
    type Body = Credential;

    fn new(setup: &Setup) -> Self {
        Self {
            credentials: Credentials::new(setup),
            front_end: setup.url("FRONT_END_URL"),
            sign_in: SignIn::new(setup),
        }
    }

    async fn answer(&self, call: Call<Door, Credential>) -> Result<Reply, Problem> {
        let identity = match (self.credentials.verify(&call.body.0, &call.audit).await, &call.caller) {
            (Err(Problem::InvalidCredential), Door::ProviderPage) => {
                return Ok(Reply::see_other(format!("{}/login?error=google", self.front_end)));
            }
            (identity, _) => identity?,
        };
        let signed_in = self.sign_in.with(&identity, call.presented.token(), &call.audit).await?;
        match call.caller {
            Door::Script => signed_in.into_reply(),
            Door::ProviderPage => {
                let start = Reply::see_other(format!("{}/", self.front_end));
                Ok(start.of(&signed_in.account).opening(signed_in.token))
            }
        }
    }
}
