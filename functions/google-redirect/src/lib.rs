//! `POST /app/auth/google-callback.php`: the endpoint for the identity provider's redirect mode. The provider's page
//! posts the credential, and the answer redirects the browser to the front end. A script may post a credential too,
//! and gets the answer of `google-callback-login.php`.

mod sender;

use shared::google::{CredentialVerifier, SignIn};
use shared::{Call, Endpoint, FrontEnd, Problem, Reply, Setup};

use sender::{Credential, Sender};

/// The endpoint.
pub struct GoogleRedirect {
    credentials: CredentialVerifier,
    front_end: FrontEnd,
    sign_in: SignIn,
}

impl Endpoint for GoogleRedirect {
    const NAME: &'static str = "google-redirect";
    type Caller = Sender;
    type Body = Credential;

    fn new(setup: &Setup) -> Self {
        Self {
            credentials: CredentialVerifier::new(setup),
            front_end: FrontEnd::new(setup.settings()),
            sign_in: SignIn::new(setup),
        }
    }

    fn page_of_failure(&self) -> Option<String> {
        Some(self.front_end.failed_google_login())
    }

    async fn answer(&self, call: Call<Sender, Credential>) -> Result<Reply, Problem> {
        let browser = match call.caller {
            Sender::Script => call.client.browser(),
            Sender::ProviderPage => call.client.cross_site_browser(),
        };
        let signed_in = match self.credentials.verify(&call.body.0, &call.audit).await {
            Ok(identity) => self.sign_in.with(&identity, browser, &call.audit).await,
            Err(problem) => Err(problem),
        };
        match (signed_in, call.caller) {
            (Ok(signed_in), Sender::Script) => signed_in.into_reply(),
            (Ok(signed_in), Sender::ProviderPage) => {
                let start = Reply::see_other(self.front_end.home());
                Ok(start.logging_account(&signed_in.account).opened(signed_in.opened))
            }
            (Err(Problem::InvalidCredential), Sender::ProviderPage) => {
                Ok(Reply::see_other(self.front_end.failed_google_login()))
            }
            (Err(problem), _) => Err(problem),
        }
    }
}
