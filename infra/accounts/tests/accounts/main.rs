//! Tests of the operator's tool: each runs the built program against an embedded stack, or against recorded answers of
//! AWS.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper of a test panics like the test; clippy excepts only test functions"
)]

mod doctor;
mod permissions;
mod recorded;

use std::process::Command;

use journeys::{Embedded, FRONT_END};
use serde_json::Value;

/// What a run of the tool printed, and its exit code.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Runs the tool with these arguments and variables.
pub(crate) async fn run(variables: Vec<(&'static str, String)>, arguments: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_accounts"));
    command.args(arguments).env_remove("ACCOUNTS_STACK").env("AWS_EC2_METADATA_DISABLED", "true");
    command.envs(variables).stdin(std::process::Stdio::null());
    // The stack's proxies run on this thread's runtime, so that the thread must not wait.
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    Run {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs the tool with `--local` against a stack, through the proxy of its table.
pub(crate) async fn local(stack: &Embedded, arguments: &[&str]) -> Run {
    let port = |url: &str| url.rsplit(':').next().unwrap().to_owned();
    let variables = vec![("DYNAMODB_PORT", port(&stack.table.url())), ("PORT", port(FRONT_END))];
    run(variables, &[&["--local"], arguments].concat()).await
}
