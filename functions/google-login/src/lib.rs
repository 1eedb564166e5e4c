//! `POST /app/auth/google-callback-login.php`: opens a session for a credential of the identity provider, and creates
//! the account if there is none.

use shared::google::{CredentialDocument, CredentialVerifier, SignIn};
use shared::{Call, Endpoint, Json, Problem, Public, Reply, Setup};

/// The endpoint.
pub struct GoogleLogin {
    credentials: CredentialVerifier,
    sign_in: SignIn,
}

impl Endpoint for GoogleLogin {
    const NAME: &'static str = "google-login";
    type Caller = Public;
    type Body = Json<CredentialDocument>;

    fn new(setup: &Setup) -> Self {
        Self { credentials: CredentialVerifier::new(setup), sign_in: SignIn::new(setup) }
    }

    async fn answer(&self, call: Call<Public, Json<CredentialDocument>>) -> Result<Reply, Problem> {
        let Json(document) = call.body;
        let identity = self.credentials.verify(&document.credential, &call.audit).await?;
        self.sign_in.with(&identity, call.client.browser(), &call.audit).await?.into_reply()
    }
}
