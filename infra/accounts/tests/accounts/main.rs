//! Tests of the program against an embedded stack: what an operator types, and what the users then notice.

#![cfg(test)]

mod causes;
mod doctor;
mod documents;
mod hostile;
mod importing;
mod operating;
mod support;
mod terminal;
mod verifying;

use std::process::{Output, Stdio};

use journeys::{Embedded, FRONT_END, Item};
use serde_json::Value;
use tokio::process::{Child, Command};

/// The program for an embedded stack. Its calls to the table go through the stack's proxy.
pub(crate) struct Program {
    tables: String,
}

/// What the program printed, and how it ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Program {
    pub(crate) fn of(stack: &Embedded) -> Self {
        Self { tables: port(&stack.table.url()) }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        self.prepare(Command::new(env!("CARGO_BIN_EXE_accounts")), arguments)
    }

    fn prepare(&self, mut command: Command, arguments: &[&str]) -> Command {
        command.args(arguments).args(["--local", "--json"]).kill_on_drop(true);
        // Audit lines go to standard error, and to no file.
        command.env("LOCAL_DATA", "memory");
        // The avatars of the stack are at the front end's address.
        command.env("DYNAMODB_PORT", &self.tables).env("PORT", port(FRONT_END));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts a command.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().unwrap()
    }

    /// Runs a command to its end.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Ended {
        Ended::of(&self.command(arguments).output().await.unwrap())
    }

    /// Runs a command with an address space of this many kilobytes, if the system can limit it.
    pub(crate) async fn run_in_memory(&self, kilobytes: u64, arguments: &[&str]) -> Ended {
        let mut shell = Command::new("sh");
        let script = format!("ulimit -v {kilobytes} 2>/dev/null; exec \"$0\" \"$@\"");
        shell.args(["-c", &script, env!("CARGO_BIN_EXE_accounts")]);
        Ended::of(&self.prepare(shell, arguments).output().await.unwrap())
    }
}

impl Ended {
    pub(crate) fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Self { code: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) }
    }

    /// The JSON on standard output.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{self:?}"))
    }

    /// A number of the JSON on standard output.
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.json()[name].as_u64().unwrap_or_else(|| panic!("{name}: {self:?}"))
    }
}

/// Runs the program against an embedded stack, without `--json`.
pub(crate) async fn local(stack: &Embedded, arguments: &[&str]) -> Ended {
    // Audit lines go to standard error, and to no file.
    let memory = ("LOCAL_DATA", "memory".to_owned());
    let variables = vec![memory, ("DYNAMODB_PORT", port(&stack.table.url())), ("PORT", port(FRONT_END))];
    run(variables, &[&["--local"], arguments].concat()).await
}

/// Runs the program with these arguments and variables.
pub(crate) async fn run(variables: Vec<(&'static str, String)>, arguments: &[&str]) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_accounts"));
    command.args(arguments).env("AWS_EC2_METADATA_DISABLED", "true");
    Ended::of(&command.envs(variables).stdin(Stdio::null()).output().await.unwrap())
}

/// The port in a URL.
pub(crate) fn port(url: &str) -> String {
    url.rsplit(':').next().unwrap().split('/').next().unwrap().to_owned()
}

/// All rows of the accounts table as sorted text, without what differs from run to run.
pub(crate) async fn table(stack: &Embedded) -> Vec<String> {
    let text = |mut item: Item| {
        item.remove("nonce");
        item.remove("import_run");
        let mut attributes: Vec<String> = item.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
        attributes.sort();
        attributes.join(" ")
    };
    let mut rows: Vec<String> = stack.items("accounts").await.into_iter().map(text).collect();
    rows.sort();
    rows
}
