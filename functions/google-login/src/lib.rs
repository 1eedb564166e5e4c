//! `POST /app/auth/google-callback-login.php`: trades a credential of the identity provider for a
//! session, and makes the account if there is none.

mod sign_in;

use serde::Deserialize;
use shared::google::Credentials;
use shared::{Call, Endpoint, Json, Problem, Public, Reply, Setup};

pub use sign_in::{SignIn, SignedIn, Status};

/// The endpoint.
pub struct GoogleLogin {
    credentials: Credentials,
    sign_in: SignIn,
}

/// The document.
#[derive(Deserialize)]
pub struct Document {
    /// What the provider signed.
    pub credential: String,
}

impl Endpoint for GoogleLogin {
    const NAME: &'static str = "google-login";
    type Caller = Public;
    type Body = Json<Document>;

    fn new(setup: &Setup) -> Self {
        Self { credentials: Credentials::new(setup), sign_in: SignIn::new(setup) }
    }

    async fn answer(&self, call: Call<Public, Json<Document>>) -> Result<Reply, Problem> {
        let Json(document) = call.body;
        let identity = self.credentials.verify(&document.credential, &call.audit).await?;
        self.sign_in.with(&identity, call.presented.token(), &call.audit).await?.into_reply()
    }
}
