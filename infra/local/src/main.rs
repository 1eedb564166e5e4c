//! `make dev`: starts the local stack, prints its URLs, and runs until Ctrl-C. `local backends` starts it without the
//! functions of the endpoints, for functions that run elsewhere, and `local environment` prints the environment
//! variables for those.

mod settings;

use std::fmt::Write;
use std::io::{self, IsTerminal, Write as _};
use std::process::ExitCode;

use local::{Options, Stack};
use tokio::signal::unix::{SignalKind, signal};

const USAGE: &str = "usage: local [backends | environment | routes]

  local              starts the whole service
  local backends     starts what the functions use (tables, mailbox, identity provider), and the notices function
  local environment  prints the functions' variables for those backends, as lines of NAME=VALUE
  local routes       prints the routes in the format of cargo-lambda's configuration file

PORT, DYNAMODB_PORT, LOCAL_DATA and DYNAMODB_URL set ports and storage, WEB_FOLDER the folders of the pages.
API_BACKEND=http://localhost:5000 is the product's own API, which gets the requests for /api/* that have a session.
API_BACKEND and EVENT_TARGET may name a function, such as http://localhost:9000/2015-03-31/functions/NAME/invocations.

The functions' settings can be set too, by the names that they have in template.yaml, which also describes them:
LOGIN_MAX_FAILURES=5 sets the parameter LoginMaxFailures. CAPTCHA_SECRET is the captcha's secret itself, and
CAPTCHA_SITE_KEY the site key of the login page; altcha has none.";

/// The command on the command line.
enum Command {
    /// Run a stack, with or without the functions.
    Run { functions: bool },
    /// Print the functions' variables.
    Environment,
    /// Print cargo-lambda's routes.
    Routes,
}

impl Command {
    fn parse(arguments: &[String]) -> Option<Self> {
        match arguments {
            [] => Some(Self::Run { functions: true }),
            [only] if only == "backends" => Some(Self::Run { functions: false }),
            [only] if only == "environment" => Some(Self::Environment),
            [only] if only == "routes" => Some(Self::Routes),
            _ => None,
        }
    }
}

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
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let command = Command::parse(&arguments).ok_or(USAGE)?;
    let mut options = settings::from_environment()?;
    match command {
        Command::Run { functions } => options.functions = functions,
        Command::Environment => return print_environment(&options),
        Command::Routes => return print_routes(),
    }
    // The handlers are installed before the start, so that a Ctrl-C during the start is not lost.
    let mut interrupt = signal(SignalKind::interrupt()).map_err(|error| error.to_string())?;
    let mut terminate = signal(SignalKind::terminate()).map_err(|error| error.to_string())?;
    let stack =
        Stack::start(&options, &|step| print(&format!("Started {step}\n"))).map_err(|error| error.to_string())?;
    print(&banner(&stack, &options));
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    stack.shutdown().await;
    print("Stopped\n");
    Ok(())
}

/// Prints to standard output. Errors are ignored, because the reader of a pipe may have ended.
fn print(text: &str) {
    let mut out = io::stdout();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn print_environment(options: &Options) -> Result<(), String> {
    let variables = local::environment(options).map_err(|error| error.to_string())?;
    for (name, value) in variables {
        print(&format!("{name}={value}\n"));
    }
    Ok(())
}

/// Prints the function of each path in the format of cargo-lambda's configuration file. The method does not matter.
fn print_routes() -> Result<(), String> {
    let template = local::Template::of_this_project().map_err(|error| error.to_string())?;
    print("[watch.router]\n");
    for route in template.routes() {
        print(&format!("{:?} = {:?}\n", route.path, route.crate_name()));
    }
    Ok(())
}

/// The URLs of the stack, and an example request.
fn banner(stack: &Stack, options: &Options) -> String {
    let coloured = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let bold = |text: &str| if coloured { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() };
    let service = stack.base_url().replace("127.0.0.1", "localhost");
    let dynamodb =
        options.dynamodb_endpoint.as_deref().unwrap_or(stack.dynamodb_url()).replace("127.0.0.1", "localhost");

    let mut banner = String::new();
    if options.functions {
        for route in stack.template().routes() {
            let _ = writeln!(banner, "  {:<36} {}", route.path, route.function);
        }
        let _ = writeln!(banner, "{} {service}", bold(&format!("{:<18}", "Service")));
        let _ = writeln!(banner, "{} {service}/", bold(&format!("{:<18}", "Front end")));
    }
    let addresses = [
        ("DynamoDB", dynamodb),
        ("Inbox", format!("{service}/_local/")),
        ("API", format!("{service}/_local/api")),
        ("Identity provider", format!("{service}/_local/google/credential")),
        ("Data", options.data.to_string()),
    ];
    let backend = options.api_backend.iter().map(|address| ("API backend", format!("{address}, as {service}/api/")));
    for (name, address) in addresses.into_iter().chain(backend) {
        let _ = writeln!(banner, "{} {address}", bold(&format!("{name:<18}")));
    }
    if !options.functions {
        return banner + "Ctrl-C stops everything.\n";
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Option<Command> {
        Command::parse(&arguments.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn only_the_known_commands_are_accepted() {
        assert!(matches!(parsed(&[]), Some(Command::Run { functions: true })));
        assert!(matches!(parsed(&["backends"]), Some(Command::Run { functions: false })));
        assert!(matches!(parsed(&["environment"]), Some(Command::Environment)));
        assert!(matches!(parsed(&["routes"]), Some(Command::Routes)));
        for wrong in [&["backend"][..], &["--help"], &["backends", "environment"], &[""]] {
            assert!(parsed(wrong).is_none(), "{wrong:?}");
        }
    }
}
