//! The mapping from the stream of a table to a function.

use serde_yaml_ng::Value;

use super::{TemplateError, at, entries, own};

/// A mapping from the stream of a table to a function.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamEvent {
    /// The name of the table's resource.
    pub table: String,
    /// The maximum number of records of one call.
    pub batch_size: usize,
    /// The patterns of the records that the function is called with; none means all.
    patterns: Vec<serde_json::Value>,
}

impl StreamEvent {
    /// Whether the function is called with a record.
    #[must_use]
    pub fn matches(&self, record: &serde_json::Value) -> bool {
        self.patterns.is_empty() || self.patterns.iter().any(|pattern| matches(pattern, record))
    }
}

/// Whether a value has a pattern of Lambda's event filters. Only exact values and prefixes are implemented.
fn matches(pattern: &serde_json::Value, value: &serde_json::Value) -> bool {
    match pattern {
        serde_json::Value::Object(members) => {
            members.iter().all(|(name, pattern)| value.get(name).is_some_and(|value| matches(pattern, value)))
        }
        serde_json::Value::Array(values) => values.iter().any(|wanted| match wanted.get("prefix") {
            Some(prefix) => value.as_str().zip(prefix.as_str()).is_some_and(|(text, prefix)| text.starts_with(prefix)),
            None => wanted == value,
        }),
        _ => false,
    }
}

/// The mapping of a function, if it has one.
pub(super) fn of(function: &str, properties: &Value) -> Result<Option<StreamEvent>, TemplateError> {
    let is_stream = |event: &Value| event.get("Type").and_then(Value::as_str) == Some("DynamoDB");
    let Some((event, value)) = entries(properties.get("Events")).find(|(_, event)| is_stream(event)) else {
        return Ok(None);
    };
    let fault = |what: &str| TemplateError(format!("{function}: event {event} {what}"));
    let table = match at(value, &["Properties", "Stream"]).map(own) {
        Some(Value::Tagged(stream)) if stream.tag == "GetAtt" => stream.value.as_str(),
        _ => None,
    };
    let table = table.and_then(|table| table.strip_suffix(".StreamArn"));
    let table = table.ok_or_else(|| fault("has no !GetAtt of a table's StreamArn"))?.to_owned();
    let batch_size = at(value, &["Properties", "BatchSize"]).and_then(Value::as_u64).unwrap_or(100);
    let filters = at(value, &["Properties", "FilterCriteria", "Filters"]).and_then(Value::as_sequence);
    let patterns = filters.into_iter().flatten().map(|filter| {
        let pattern = filter.get("Pattern").and_then(Value::as_str).unwrap_or_default();
        serde_json::from_str(pattern).map_err(|_| fault("has a pattern that is not JSON"))
    });
    let patterns = patterns.collect::<Result<_, _>>()?;
    Ok(Some(StreamEvent { table, batch_size: usize::try_from(batch_size).unwrap_or(1), patterns }))
}
