//! The checks of the function `notices`: whether it receives changes, and whether some could not be handled.

use aws_sdk_lambda::types::{EventSourceMappingConfiguration, FilterCriteria};
use aws_sdk_sqs::types::QueueAttributeName;
use serde_json::Value;

use super::clients::Clients;
use super::finding::Finding;
use super::tables::described;

/// The sort keys of the rows that the function listens to (`template.yaml`).
const HEARD: [&str; 4] = ["profile", "erasure", "session#", "failures"];
/// The filter of the mapping in `template.yaml`.
const PATTERNS: [&str; 3] = [
    r#"{"dynamodb":{"Keys":{"sk":{"S":["profile","erasure"]}}}}"#,
    r#"{"eventName":["INSERT"],"dynamodb":{"Keys":{"sk":{"S":[{"prefix":"session#"}]}}}}"#,
    r#"{"eventName":["INSERT","MODIFY"],"dynamodb":{"Keys":{"sk":{"S":[{"prefix":"failures"}]}}}}"#,
];
/// The state of a mapping that reads the stream.
const ENABLED: &str = "Enabled";

/// Whether the function reads the stream of the accounts table: whether the mapping is enabled, passes the rows, and
/// sends the changes that Lambda stops retrying to the dead-letter queue.
pub(super) async fn source(clients: &Clients) -> Finding {
    const CHECK: &str = "notices-source";
    match mapping(clients, CHECK).await {
        Ok(Some(mapping)) => judged(clients, CHECK, &mapping),
        Ok(None) => Finding::problem(
            CHECK,
            "Nothing brings the changes of accounts to the function notices: owners are told nothing, and entries of \
             deleted accounts stay.",
            format!("make deploy STACK={}", clients.names.stack),
        ),
        Err(failed) => failed,
    }
}

/// The mapping from the stream of the accounts table to the function.
async fn mapping(clients: &Clients, check: &'static str) -> Result<Option<EventSourceMappingConfiguration>, Finding> {
    let Some(stream) = described(&clients.dynamodb, check, &clients.names.accounts).await?.latest_stream_arn else {
        return Ok(None);
    };
    let of_function = format!(":{}-notices:", clients.names.stack);
    // Mappings are listed by the stream, not by the function, because the mapping names an alias.
    let mappings = clients.lambda.list_event_source_mappings().event_source_arn(stream);
    let mut mappings = mappings.into_paginator().items().send();
    while let Some(mapping) = mappings.next().await {
        let mapping = mapping.map_err(|error| Finding::call_failed(check, "lambda:ListEventSourceMappings", &error))?;
        if mapping.function_arn().is_some_and(|arn| format!("{arn}:").contains(&of_function)) {
            return Ok(Some(mapping));
        }
    }
    Ok(None)
}

fn judged(clients: &Clients, check: &'static str, mapping: &EventSourceMappingConfiguration) -> Finding {
    let update = format!("aws lambda update-event-source-mapping --uuid {}", mapping.uuid().unwrap_or("UUID"));
    let state = mapping.state().unwrap_or("unknown");
    if state != ENABLED {
        return Finding::problem(
            check,
            format!("The function notices does not hear of changes: its event source mapping is {state}."),
            format!("{update} --enabled"),
        );
    }
    let filters = mapping.filter_criteria().map(FilterCriteria::filters).unwrap_or_default();
    let is_missing =
        |heard: &&str| !filters.iter().any(|filter| lets_through(filter.pattern().unwrap_or_default(), heard));
    let missing: Vec<&str> = HEARD.into_iter().filter(is_missing).collect();
    if !missing.is_empty() {
        let filters = PATTERNS.map(|pattern| serde_json::json!({"Pattern": pattern}));
        let criteria = serde_json::json!({"Filters": filters});
        return Finding::problem(
            check,
            format!("The filter of the event source mapping does not name the rows {}.", missing.join(", ")),
            format!("{update} --filter-criteria '{criteria}'"),
        );
    }
    let queue = &clients.names.dead_letters;
    let name = queue.rsplit('/').next().unwrap_or_default();
    let destination = mapping.destination_config().and_then(|config| config.on_failure()?.destination());
    if destination.and_then(|arn| arn.rsplit(':').next()) != Some(name) {
        return Finding::problem(
            check,
            "Changes that Lambda stops retrying are lost: the event source mapping of notices does not name the queue.",
            format!(
                "{update} --destination-config OnFailure={{Destination=$(aws sqs get-queue-attributes --queue-url {queue} \
                 --attribute-names QueueArn --query Attributes.QueueArn --output text)}}"
            ),
        );
    }
    Finding::ok(check, "The function notices hears of the changes of accounts.")
}

/// Whether a filter pattern names rows with this sort key.
fn lets_through(pattern: &str, sk: &str) -> bool {
    let pattern: Value = serde_json::from_str(pattern).unwrap_or_default();
    let named = pattern.pointer("/dynamodb/Keys/sk/S").and_then(Value::as_array);
    named.is_some_and(|named| named.iter().any(|name| name == sk || name["prefix"] == sk))
}

/// Whether the queue has changes that could not be handled.
pub(super) async fn dead_letters(clients: &Clients) -> Finding {
    const CHECK: &str = "notices-dead-letters";
    let queue = &clients.names.dead_letters;
    let count = QueueAttributeName::ApproximateNumberOfMessages;
    let asked = clients.sqs.get_queue_attributes().queue_url(queue).attribute_names(count.clone()).send().await;
    let answer = match asked {
        Ok(answer) => answer,
        Err(error) => return Finding::call_failed(CHECK, "sqs:GetQueueAttributes", &error),
    };
    let number = answer.attributes().and_then(|attributes| attributes.get(&count)?.parse::<u64>().ok());
    match number {
        None => Finding::failed(CHECK, "The dead-letter queue does not tell its length.", "try again"),
        Some(0) => Finding::ok(CHECK, "The dead-letter queue has no change of an account."),
        Some(number) => Finding::problem(
            CHECK,
            format!(
                "Changes that the function notices could not handle: {number}. Their owners were not told, or entries of \
                 deleted accounts are left."
            ),
            format!("make redrive STACK={}", clients.names.stack),
        ),
    }
}
