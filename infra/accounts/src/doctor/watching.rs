//! The checks of alarms, logs and quotas.

use super::clients::Clients;
use super::finding::Finding;

/// What SNS shows as the ARN of a subscription that nobody has confirmed.
const PENDING: &str = "PendingConfirmation";
/// What SNS shows as the ARN of a subscription that was removed.
const DELETED: &str = "Deleted";
/// The concurrent calls that Lambda keeps unreserved. `HashingConcurrency` can only be set with a higher quota.
const UNRESERVED: i32 = 100;
/// The quota for which the default of `AlarmConcurrentCalls` is set, and Lambda's usual one.
const QUOTA: i32 = 1000;

pub(super) async fn subscriptions(clients: &Clients) -> Finding {
    const CHECK: &str = "alarm-receivers";
    let topic = &clients.names.topic;
    let mut pages = clients.sns.list_subscriptions_by_topic().topic_arn(topic).into_paginator().items().send();
    let (mut confirmed, mut pending) = (0, Vec::new());
    while let Some(subscription) = pages.next().await {
        match subscription {
            Ok(subscription) if subscription.subscription_arn() == Some(PENDING) => {
                pending.push(subscription.endpoint().unwrap_or("an unknown receiver").to_owned());
            }
            Ok(subscription) => confirmed += u32::from(subscription.subscription_arn() != Some(DELETED)),
            Err(error) => return Finding::call_failed(CHECK, "sns:ListSubscriptionsByTopic", &error),
        }
    }
    if !pending.is_empty() {
        return Finding::problem(
            CHECK,
            format!("Not confirmed, so that they receive no alarms: {}.", pending.join(", ")),
            format!(
                "open the link in the mail from AWS; to get a new one: aws sns subscribe --topic-arn {topic} \
                 --protocol email --notification-endpoint ADDRESS"
            ),
        );
    }
    if confirmed == 0 {
        return Finding::problem(
            CHECK,
            "Nobody receives the alarms.",
            format!("aws sns subscribe --topic-arn {topic} --protocol email --notification-endpoint ADDRESS"),
        );
    }
    Finding::ok(CHECK, format!("Confirmed subscriptions to the alarms: {confirmed}."))
}

/// The functions share one log group, and the gateway has another. Groups of single functions are left over from calls
/// that ran without the shared one.
pub(super) async fn retention(clients: &Clients) -> Finding {
    const CHECK: &str = "log-retention";
    let stack = &clients.names.stack;
    let (functions, gateway) = (format!("/aws/lambda/{stack}"), format!("/aws/vendedlogs/apigateway/{stack}"));
    let single = format!("{functions}-");
    let (mut found, mut unlimited) = (0, Vec::new());
    for prefix in [&functions, &gateway] {
        let groups = clients.logs.describe_log_groups().log_group_name_prefix(prefix);
        let mut groups = groups.into_paginator().items().send();
        while let Some(group) = groups.next().await {
            let group = match group {
                Ok(group) => group,
                Err(error) => return Finding::call_failed(CHECK, "logs:DescribeLogGroups", &error),
            };
            let name = group.log_group_name().unwrap_or_default();
            let is_own = name == functions || name == gateway;
            found += usize::from(is_own);
            if (is_own || name.starts_with(&single)) && group.retention_in_days().is_none() {
                unlimited.push(name.to_owned());
            }
        }
    }
    if let Some(name) = unlimited.first() {
        return Finding::problem(
            CHECK,
            format!("These log groups keep account ids and client addresses for ever: {}.", unlimited.join(", ")),
            format!("aws logs put-retention-policy --log-group-name {name} --retention-in-days 30"),
        );
    }
    if found < 2 {
        return Finding::problem(
            CHECK,
            format!("A log group of the stack is missing: {functions} or {gateway}."),
            "make deploy",
        );
    }
    Finding::ok(CHECK, "All log groups of the functions and of the gateway delete old lines.")
}

pub(super) async fn concurrency(clients: &Clients) -> Finding {
    const CHECK: &str = "function-quota";
    let settings = match clients.lambda.get_account_settings().send().await {
        Ok(settings) => settings,
        Err(error) => return Finding::call_failed(CHECK, "lambda:GetAccountSettings", &error),
    };
    let Some(limit) = settings.account_limit() else {
        return Finding::failed(CHECK, "Lambda does not report its quota.", "try again");
    };
    let quota = limit.concurrent_executions();
    let next = format!(
        "aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 \
         --desired-value {QUOTA}"
    );
    if quota <= UNRESERVED {
        let text = format!(
            "All functions of the account share {quota} concurrent calls: more are refused, and HashingConcurrency cannot \
             be set."
        );
        Finding::problem(CHECK, text, next)
    } else if quota < QUOTA {
        let text =
            format!("The quota is {quota} concurrent calls. By default, the alarm for it assumes a quota of {QUOTA}.");
        Finding::warning(CHECK, text, next)
    } else {
        Finding::ok(CHECK, format!("The account may run {quota} calls at once."))
    }
}
