//! What Lambda calls an invocation, so that a line leads to its trace and to Lambda's own messages.

use lambda_http::Context;
use serde::Serialize;

/// The ids of an invocation, under the names that AWS's Powertools give them. There are none outside Lambda.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Invocation {
    /// Lambda's request id. That of the gateway is `request.id`.
    #[serde(rename = "function_request_id", skip_serializing_if = "Option::is_none")]
    pub(crate) request_id: Option<String>,
    /// The id of the trace, whether or not Lambda records it.
    #[serde(rename = "xray_trace_id", skip_serializing_if = "Option::is_none")]
    pub(crate) trace_id: Option<String>,
}

impl Invocation {
    /// The ids in the context of a call.
    pub(crate) fn of(context: &Context) -> Self {
        Self {
            request_id: Some(context.request_id.clone()).filter(|id| !id.is_empty()),
            trace_id: context.xray_trace_id.as_deref().and_then(root),
        }
    }
}

/// The id of a trace in a tracing header, such as `Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1`. A client may
/// have sent it to the gateway, so anything else is left out.
///
/// <https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader>
fn root(header: &str) -> Option<String> {
    let root = header.split(';').find_map(|part| part.trim().strip_prefix("Root="))?;
    let is_id = root.len() == 35
        && root.split('-').map(str::len).eq([1, 8, 24])
        && root.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    is_id.then(|| root.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_id_of_a_trace_is_taken_from_its_header() {
        let id = "1-5759e988-bd862e3fe1be46a994272793";
        for header in [format!("Root={id};Parent=3995c3f42cd8ad8;Sampled=1"), format!("Self=1-2; Root={id}")] {
            assert_eq!(root(&header).as_deref(), Some(id), "{header}");
        }
        let odd = [
            "",
            "Root=",
            id,
            "Root=1-5759e988",
            "Root=1-5759e988-bd862e3fe1be46a99427279\n",
            "Root=x-5759e988-bd862e3fe1be46a994272793",
        ];
        for header in odd {
            assert_eq!(root(header), None, "{header}");
        }
    }

    #[test]
    fn a_context_without_ids_has_none_in_the_line() {
        let invocation = Invocation::of(&Context::default());
        assert_eq!(serde_json::to_string(&invocation).unwrap(), "{}");
    }
}
