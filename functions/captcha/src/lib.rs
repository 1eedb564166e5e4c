//! `POST /app/auth/captcha.php`: issues a challenge for a login, if the service is its own captcha provider.

use shared::captcha::Challenges;
use shared::{Call, Endpoint, NoBody, Problem, Public, Reply, Setup};

/// The endpoint.
pub struct Captcha {
    challenges: Option<Challenges>,
}

impl Endpoint for Captcha {
    const NAME: &'static str = "captcha";
    type Caller = Public;
    type Body = NoBody;

    fn new(setup: &Setup) -> Self {
        Self { challenges: Challenges::new(setup) }
    }

    async fn answer(&self, _: Call<Public, NoBody>) -> Result<Reply, Problem> {
        let challenges = self.challenges.as_ref().ok_or(Problem::InvalidParameters)?;
        Ok(Reply::plain_success().with("challenge", &challenges.issue().await?)?)
    }
}
