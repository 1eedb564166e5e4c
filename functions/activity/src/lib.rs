//! `POST /app/auth/activity.php`: lists what has happened to the caller's account in the last 90 days. The function `notices`
//! stores it, usually within a second.

use shared::store::Activities;
use shared::{Call, Endpoint, NoBody, Problem, Reply, Setup, Signed};

/// The maximum number of items of an answer.
const ITEMS_MAX: i32 = 50;

/// The endpoint.
pub struct Activity {
    activities: Activities,
}

impl Endpoint for Activity {
    const NAME: &'static str = "activity";
    type Caller = Signed;
    type Body = NoBody;

    fn new(setup: &Setup) -> Self {
        Self { activities: Activities::new(setup) }
    }

    async fn answer(&self, call: Call<Signed, NoBody>) -> Result<Reply, Problem> {
        let latest = self.activities.latest(call.caller.session.account.id, ITEMS_MAX).await?;
        Ok(Reply::plain_success().with("activity", &latest)?)
    }
}
