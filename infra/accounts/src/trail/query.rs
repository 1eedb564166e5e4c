//! Queries of `CloudWatch` Logs Insights on a log group.

use std::time::Duration;

use aws_sdk_cloudwatchlogs::Error;
use aws_sdk_cloudwatchlogs::types::{QueryStatus, ResultField};
use shared::system::clock::Timestamp;

use super::LogGroup;
use super::log_group::READS_LINES;
use crate::failure::Failure;

/// The pause between two reads of a query's status.
const PAUSE: Duration = Duration::from_millis(500);
/// The field that identifies a line for other calls. Every row has it.
const POINTER: &str = "@ptr";

/// A row of an answer: names and values of fields, in the order of the query.
pub(crate) type Row = Vec<(String, String)>;

impl LogGroup {
    /// The rows that a query finds in the lines of a time.
    pub(crate) async fn query(&self, query: &str, since: Timestamp, until: Timestamp) -> Result<Vec<Row>, Failure> {
        let seconds = |time: Timestamp| i64::try_from(time.seconds()).unwrap_or(i64::MAX);
        let (start, end) = (seconds(since), seconds(until));
        let started = self.client.start_query().log_group_name(&self.name).query_string(query);
        let started = started.start_time(start).end_time(end).send().await.map_err(Error::from);
        let id = started.map_err(|error| self.not_answered(&error))?.query_id;
        loop {
            let asked = self.client.get_query_results().set_query_id(id.clone()).send().await.map_err(Error::from);
            let answer = asked.map_err(|error| self.not_answered(&error))?;
            match answer.status {
                Some(QueryStatus::Running | QueryStatus::Scheduled) => tokio::time::sleep(PAUSE).await,
                Some(QueryStatus::Complete) => {
                    return Ok(answer.results.unwrap_or_default().into_iter().map(row).collect());
                }
                ended => {
                    let status = ended.as_ref().map_or("nothing", QueryStatus::as_str);
                    return Err(Failure::Failed(format!("the query ended with {status}: shorten its time (--since)")));
                }
            }
        }
    }

    fn not_answered(&self, error: &Error) -> Failure {
        match error {
            Error::MalformedQueryException(fault) => {
                Failure::Usage(format!("the query is not valid: {}", fault.message.as_deref().unwrap_or_default()))
            }
            error => Failure::Failed(self.failed(READS_LINES, error)),
        }
    }
}

fn row(fields: Vec<ResultField>) -> Row {
    let named = fields.into_iter().filter_map(|field| Some((field.field?, field.value.unwrap_or_default())));
    named.filter(|(name, _)| name != POINTER).collect()
}
