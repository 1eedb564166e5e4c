//! A log group of a stack: writing the operator's lines, and reading the audit lines of an account.

use std::collections::BTreeMap;
use std::time::Duration;

use aws_config::SdkConfig;
use aws_sdk_cloudwatchlogs::types::{InputLogEvent, QueryStatus, ResultField};
use aws_sdk_cloudwatchlogs::{Client, Error};
use serde::Deserialize;
use shared::system::clock::Timestamp;

use super::Recorded;
use crate::failure::Failure;
use crate::why::{WRITES_LINES, Why, why};

/// The actions that read the log.
const READS_LINES: &str = "logs:FilterLogEvents and logs:StartQuery";
/// What the names of the streams begin with that [`LogGroup::put`] writes. The policy of operators allows no others.
const OPERATORS: &str = "operator/";

/// Which log group of a stack.
#[derive(Clone, Copy)]
pub(crate) enum Logs {
    /// The lines of all functions, and the operator's.
    Functions,
    /// The gateway's access log.
    Gateway,
}

impl Logs {
    /// The logical id in `template.yaml`.
    fn logical_id(self) -> &'static str {
        match self {
            Self::Functions => "Logs",
            Self::Gateway => "AccessLogs",
        }
    }
}

/// A line that may record the end of an account or its return: an audit line, or the line of a call.
#[derive(Deserialize)]
struct Erasure {
    #[serde(rename = "account.id")]
    account_id: u64,
    #[serde(rename = "audit.event")]
    event: Option<String>,
    #[serde(rename = "audit.stage")]
    stage: Option<String>,
    #[serde(rename = "http.status")]
    status: Option<u16>,
    #[serde(rename = "problem.code")]
    problem: Option<String>,
}

impl Erasure {
    /// The account that `accounts restore` has brought back.
    fn restored(&self) -> Option<u64> {
        let is_back = self.event.as_deref() == Some("account-restored") && self.stage.as_deref() == Some("done");
        is_back.then_some(self.account_id)
    }

    /// The account that was deleted, or that an operator tried to erase. Without audit lines (`AuditLog=false`), the line
    /// of a successful call says so.
    fn id(self) -> Option<u64> {
        let is_erased = match self.event.as_deref() {
            Some(event) => event == "account-deleted" || event == "account-erased",
            None => self.status == Some(200) && self.problem.is_none(),
        };
        is_erased.then_some(self.account_id)
    }
}

/// A log group.
pub(crate) struct LogGroup {
    pub(super) client: Client,
    pub(super) name: String,
}

impl LogGroup {
    /// A log group of a stack.
    pub(crate) async fn of(config: &SdkConfig, stack: &str, logs: Logs) -> Result<Self, Failure> {
        let client = aws_sdk_cloudformation::Client::new(config);
        let id = logs.logical_id();
        let asked = client.describe_stack_resource().stack_name(stack).logical_resource_id(id).send().await;
        let resource = asked.map_err(|error| {
            let Why { cause, next } = why("cloudformation:DescribeStackResource", &error);
            Failure::Failed(format!("the log group of the stack {stack} cannot be found ({cause}): {next}"))
        })?;
        let name = resource.stack_resource_detail.and_then(|detail| detail.physical_resource_id);
        let name = name.ok_or_else(|| Failure::Failed(format!("the stack {stack} has no log group {id}")))?;
        Ok(Self { client: Client::new(config), name })
    }

    /// Writes lines to today's stream, which is created if it does not exist. The error says why they are not written.
    pub(crate) async fn put(&self, lines: Vec<String>, now: Timestamp) -> Result<(), String> {
        let date = now.to_rfc3339().chars().take_while(|c| *c != 'T').collect::<String>();
        let stream = format!("operator/{date}");
        let time = i64::try_from(now.milliseconds()).unwrap_or(i64::MAX);
        let events: Result<Vec<_>, _> =
            lines.into_iter().map(|line| InputLogEvent::builder().timestamp(time).message(line).build()).collect();
        let events = events.map_err(|error| error.to_string())?;
        let mut put = self.put_events(&stream, events.clone()).await;
        if let Err(Error::ResourceNotFoundException(_)) = put {
            put = match self.create(&stream).await {
                Ok(()) => self.put_events(&stream, events).await,
                Err(error) => Err(error),
            };
        }
        match put {
            Ok(true) => Ok(()),
            Ok(false) => Err(format!("the log group {} refused it: check this computer's clock", self.name)),
            Err(error) => Err(self.failed(WRITES_LINES, &error)),
        }
    }

    async fn create(&self, stream: &str) -> Result<(), Error> {
        let create = self.client.create_log_stream().log_group_name(&self.name).log_stream_name(stream);
        match create.send().await.map_err(Error::from) {
            // Another operator may have created it at the same time.
            Ok(_) | Err(Error::ResourceAlreadyExistsException(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Returns false if the service refused an event, as it does if the event's time differs much from its own.
    async fn put_events(&self, stream: &str, events: Vec<InputLogEvent>) -> Result<bool, Error> {
        let put = self.client.put_log_events().log_group_name(&self.name).log_stream_name(stream);
        let answer = put.set_log_events(Some(events)).send().await?;
        Ok(answer.rejected_log_events_info.is_none())
    }

    /// The audit lines of an account, oldest first.
    pub(crate) async fn audit_lines(&self, account_id: u64, since: Timestamp) -> Result<Vec<Recorded>, Failure> {
        let pattern = format!("{{ ($.['account.id'] = {account_id}) && ($.['audit.event'] = \"*\") }}");
        let mut lines = Vec::new();
        self.each(&pattern, since, |time, message, _| {
            lines.extend(
                Recorded::parse(&message).filter(|line| line.account_id == account_id).map(|line| (time, line)),
            );
        })
        .await?;
        // `CloudWatch` documents this order. The sort keeps it even if pages come out of order.
        lines.sort_by_key(|(time, _)| *time);
        Ok(lines.into_iter().map(|(_, line)| line).collect())
    }

    /// The audit lines, and the lines of the calls that may have an event. Those of the two functions that only check
    /// sessions, which are most of a log, are left out. Each with whether it is in a stream of operators.
    pub(crate) async fn calls_and_events(&self, since: Timestamp) -> Result<Vec<(String, bool)>, Failure> {
        let pattern = "{ ($.['audit.event'] = \"*\") || (($.['http.status'] > 0) && ($.function != \"session\") && ($.function != \"authorizer\")) }";
        let mut lines = Vec::new();
        self.each(pattern, since, |_, message, stream| lines.push((message, stream.starts_with(OPERATORS)))).await?;
        Ok(lines)
    }

    /// The ids of the accounts that their owners have deleted since a time, or that operators have erased or tried to,
    /// each with the last time. Accounts that came back after that are left out.
    pub(crate) async fn erased_accounts(&self, since: Timestamp) -> Result<BTreeMap<u64, Timestamp>, Failure> {
        let pattern = "{ ($.function = \"delete-account\") || ($.['audit.event'] = \"account-erased\") || ($.['audit.event'] = \"account-restored\") }";
        let (mut erased, mut restored) = (BTreeMap::new(), BTreeMap::new());
        self.each(pattern, since, |time, message, _| {
            // Every line that `CloudWatch` gives has its time.
            let at = time.and_then(|time| u64::try_from(time).ok()).map(Timestamp::from_milliseconds);
            let Some((line, at)) = serde_json::from_str::<Erasure>(&message).ok().zip(at) else { return };
            let (ids, id) = match line.restored() {
                Some(id) => (&mut restored, Some(id)),
                None => (&mut erased, line.id()),
            };
            if let Some(id) = id {
                let last = ids.entry(id).or_insert(at);
                *last = at.max(*last);
            }
        })
        .await?;
        erased.retain(|id, erased| restored.get(id).is_none_or(|restored| *restored < *erased));
        Ok(erased)
    }

    /// Passes each line of a filter pattern since a time to `take`, with its time and its stream.
    async fn each(
        &self,
        pattern: &str,
        since: Timestamp,
        mut take: impl FnMut(Option<i64>, String, &str),
    ) -> Result<(), Failure> {
        let start = i64::try_from(since.milliseconds()).unwrap_or(i64::MAX);
        let filter = self.client.filter_log_events().log_group_name(&self.name).filter_pattern(pattern);
        let mut pages = filter.start_time(start).into_paginator().send();
        while let Some(page) = pages.next().await {
            let page = page.map_err(|error| Failure::Failed(self.failed(READS_LINES, &Error::from(error))))?;
            for event in page.events.unwrap_or_default() {
                if let Some(message) = event.message {
                    take(event.timestamp, message, event.log_stream_name.as_deref().unwrap_or_default());
                }
            }
        }
        Ok(())
    }

    pub(super) fn failed(&self, action: &str, error: &Error) -> String {
        let Why { cause, next } = why(action, error);
        format!("the log group {} ({cause}): {next}", self.name)
    }
}

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
