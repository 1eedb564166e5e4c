//! The deployment that is checked: its names, and the clients of the services that it uses.

use std::sync::Arc;

use aws_config::SdkConfig;
use shared::system::clock::{Clock, SystemClock};

use super::finding::Finding;
use crate::connection::Described;

/// What a stack says about its deployment.
#[derive(Clone)]
pub(crate) struct Names {
    pub(crate) stack: String,
    pub(crate) accounts: String,
    pub(crate) entries: String,
    /// The topic that the alarms notify.
    pub(crate) topic: String,
    /// The URL of the dead-letter queue: the changes that the function `notices` could not handle.
    pub(crate) dead_letters: String,
    /// The sender of the mails.
    pub(crate) mail_from: String,
    /// The address of Google's keys; empty for the default.
    pub(crate) google_keys: String,
    /// The start of a command of the AWS CLI on the tables.
    pub(crate) aws: String,
}

/// The clients of a deployment in AWS.
pub(crate) struct Clients {
    pub(crate) names: Names,
    pub(crate) dynamodb: aws_sdk_dynamodb::Client,
    pub(crate) lambda: aws_sdk_lambda::Client,
    pub(crate) logs: aws_sdk_cloudwatchlogs::Client,
    pub(crate) ses: aws_sdk_sesv2::Client,
    pub(crate) sns: aws_sdk_sns::Client,
    pub(crate) sqs: aws_sdk_sqs::Client,
    pub(crate) clock: Arc<dyn Clock>,
}

impl Clients {
    pub(crate) fn new(config: &SdkConfig, names: Names) -> Self {
        Self {
            names,
            dynamodb: aws_sdk_dynamodb::Client::new(config),
            lambda: aws_sdk_lambda::Client::new(config),
            logs: aws_sdk_cloudwatchlogs::Client::new(config),
            ses: aws_sdk_sesv2::Client::new(config),
            sns: aws_sdk_sns::Client::new(config),
            sqs: aws_sdk_sqs::Client::new(config),
            clock: Arc::new(SystemClock),
        }
    }
}

impl Names {
    /// Reads the outputs and parameters of a stack.
    pub(crate) async fn of_stack(config: &SdkConfig, stack: &str, aws: String) -> Result<Self, Finding> {
        const CHECK: &str = "stack";
        let described = Described::of(config, stack).await;
        let described =
            described.map_err(|error| Finding::call_failed(CHECK, "cloudformation:DescribeStacks", &error))?;
        described.note_another_version(stack);
        let required = |name: &str, value: Option<&str>| {
            value.map(str::to_owned).ok_or_else(|| {
                Finding::failed(
                    CHECK,
                    format!("The stack {stack} has no {name}: it belongs to another service, or to an old release."),
                    format!("name the stack of the service with --stack, or deploy it: make deploy STACK={stack}"),
                )
            })
        };
        Ok(Self {
            stack: stack.to_owned(),
            accounts: required("AccountsTableName", described.output("AccountsTableName"))?,
            entries: required("EntriesTableName", described.output("EntriesTableName"))?,
            topic: required("AlarmTopicArn", described.output("AlarmTopicArn"))?,
            dead_letters: required("DeadLettersUrl", described.output("DeadLettersUrl"))?,
            mail_from: required("MailFrom", described.parameter("MailFrom"))?,
            google_keys: described.parameter("GoogleKeysUrl").unwrap_or_default().to_owned(),
            aws,
        })
    }
}
