//! `make dev`: starts the local stack, says where everything is, and runs until Ctrl-C.

mod settings;

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use local::{Options, Stack};
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), String> {
    let options = settings::from_environment()?;
    // Before the start, so that a Ctrl-C during it is not lost.
    let mut interrupt = signal(SignalKind::interrupt()).map_err(|error| error.to_string())?;
    let mut terminate = signal(SignalKind::terminate()).map_err(|error| error.to_string())?;
    let stack = Stack::start(&options, &|step| println!("Started {step}")).map_err(|error| error.to_string())?;
    print!("{}", banner(&stack, &options));
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    stack.shutdown().await;
    println!("Stopped");
    Ok(())
}

/// What runs where, and something to try.
fn banner(stack: &Stack, options: &Options) -> String {
    let coloured = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let bold = |text: &str| if coloured { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() };
    let service = stack.base_url().replace("127.0.0.1", "localhost");
    let dynamodb = stack.dynamodb_url().replace("127.0.0.1", "localhost");

    let mut banner = String::new();
    for route in stack.template().routes() {
        let _ = writeln!(banner, "  {:<36} {}", route.path, route.function);
    }
    let places = [
        ("Service", service.clone()),
        ("DynamoDB", dynamodb),
        ("Inbox", format!("{service}/_local/")),
        ("Identity provider", format!("{service}/_local/google/credential")),
        ("Data", options.data.to_string()),
    ];
    for (name, place) in places {
        let _ = writeln!(banner, "{} {place}", bold(&format!("{name:<18}")));
    }
    let _ = writeln!(
        banner,
        "{}\n  curl -H 'X-Requested-With: XMLHttpRequest' -d 'nombre=Luis&email=luis@example.com&terms=on' \\\n    \
         -d 'password=Secreto123&confirm-password=Secreto123' {service}/app/auth/sendRegister.php\n\
         Ctrl-C stops everything.",
        bold("Try"),
    );
    banner
}
