//! `POST /receive-data.php`: stores a JSON object, or each object of an array, without changing its bytes.

mod batch;

use shared::store::Entries;
use shared::{Call, Endpoint, Problem, Public, Reply, Setup, success};

use batch::Batch;

/// The endpoint.
pub struct ReceiveData {
    entries: Entries,
}

impl Endpoint for ReceiveData {
    const NAME: &'static str = "receive-data";
    const FORBIDDEN: Problem = Problem::AccessDenied;
    const UNREADABLE: Problem = Problem::InvalidJson;
    type Caller = Public;
    type Body = Batch;

    fn new(setup: &Setup) -> Self {
        Self { entries: Entries::new(setup) }
    }

    async fn answer(&self, call: Call<Public, Batch>) -> Result<Reply, Problem> {
        let batch = call.body;
        self.entries.store(batch.repeatable, &batch.objects).await?;
        Ok(Reply::success(success::RECEIVE_DATA))
    }
}
