//! `accounts`, the operator's tool: moves users in and out, and looks after their accounts.

mod cli;
mod connection;
mod doctor;
mod exporting;
mod failure;
mod importing;
mod interruption;
mod lookup;
mod operating;
mod output;
mod private;
mod progress;
mod rate;
mod scan;
mod trail;
mod verifying;
mod why;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use clap_complete::generate;

use cli::{Cli, Command, Import, ImportCommand};
use failure::{Done, Failure};

#[tokio::main]
async fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            output::usage(&error);
            // Help and version are not mistakes.
            return if error.use_stderr() { ExitCode::from(3) } else { ExitCode::SUCCESS };
        }
    };
    match Box::pin(run(cli)).await {
        Ok(done) => done.into(),
        Err(failure) => {
            output::error(&failure.to_string());
            failure.exit_code()
        }
    }
}

async fn run(cli: Cli) -> Result<Done, Failure> {
    let Cli { target, command } = cli;
    match command {
        Command::Completions { shell } => {
            let mut script = Vec::new();
            generate(shell, &mut Cli::command(), "accounts", &mut script);
            output::script(&script).map(|()| Done::All)
        }
        Command::Import(Import { undo: Some(ImportCommand::Undo(undoing)), .. }) => {
            Box::pin(importing::undo(&target, &undoing)).await
        }
        Command::Import(Import { options: Some(options), .. }) => importing::import(&target, &options).await,
        Command::Import(_) => Err(Failure::Usage("name the file to import; `-` reads standard input".to_owned())),
        Command::Export(options) => exporting::export(&target, &options).await,
        Command::Doctor(options) => doctor::doctor(&target, &options).await,
        Command::Find { who } => lookup::find(&target, &who).await,
        Command::VerifyLog(options) => Box::pin(verifying::verify(&target, &options)).await,
        Command::Operating(command) => operating::run(&target, &command).await,
    }
}
