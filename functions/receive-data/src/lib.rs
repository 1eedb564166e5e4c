//! `POST /receive-data.php`: stores a JSON object, or each object of an array, without changing its bytes.
//! The entries of a caller with a live session belong to the caller's account.

mod batch;

use shared::store::Entries;
use shared::{Anyone, Call, Endpoint, Problem, Reply, Setup, success};

use batch::Batch;

/// The endpoint.
pub struct ReceiveData {
    entries: Entries,
}

impl Endpoint for ReceiveData {
    const NAME: &'static str = "receive-data";
    const FORBIDDEN: Problem = Problem::AccessDenied;
    const UNREADABLE: Problem = Problem::InvalidJson;
    type Caller = Anyone;
    type Body = Batch;

    fn new(setup: &Setup) -> Self {
        Self { entries: Entries::new(setup) }
    }

    async fn answer(&self, call: Call<Anyone, Batch>) -> Result<Reply, Problem> {
        let batch = call.body;
        if let Some(session) = call.caller.session
            && self.entries.store_for(&session.account, batch.request_digest, &batch.objects).await?
        {
            return Ok(Reply::success(success::RECEIVE_DATA));
        }
        // There is no live session, or the account was deleted during this request.
        self.entries.store(batch.request_digest, &batch.objects).await?;
        Ok(Reply::success(success::RECEIVE_DATA))
    }
}
