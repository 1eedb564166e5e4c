//! What an operator sees at a terminal: progress, questions, colour, and the completion of commands.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::thread::{JoinHandle, spawn};

use journeys::{Embedded, FRONT_END};
use nix::pty::{Winsize, openpty};
use serde_json::json;

use crate::importing::files::{TempFile, user_with, users};
use crate::{Program, port};

/// A terminal without a program.
pub(crate) struct Terminal {
    /// The operator's side.
    operator: File,
    /// The program's side.
    program: File,
}

impl Terminal {
    pub(crate) fn new() -> Self {
        let size = Winsize { ws_row: 24, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
        let sides = openpty(&size, None).unwrap();
        Self { operator: sides.master.into(), program: sides.slave.into() }
    }

    /// Types a line. A program that asks reads it later.
    pub(crate) fn types(&mut self, line: &str) {
        self.operator.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// The terminal as standard input or standard error of a program.
    pub(crate) fn side(&self) -> Stdio {
        self.program.try_clone().unwrap().into()
    }

    /// Everything that is shown until no program has the terminal any more.
    pub(crate) fn watch(self) -> JoinHandle<String> {
        let Self { mut operator, program } = self;
        drop(program);
        spawn(move || {
            let (mut shown, mut bytes) = (Vec::new(), [0; 4096]);
            // On Linux the last read fails; elsewhere it may read no bytes.
            while let Ok(count @ 1..) = operator.read(&mut bytes) {
                shown.extend(bytes.iter().take(count));
            }
            String::from_utf8(shown).unwrap()
        })
    }
}

/// A command for a stack, whose standard error is a terminal.
fn at_terminal(stack: &Embedded, arguments: &[&str], terminal: &Terminal) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_accounts"));
    command.args(["--local"]).args(arguments).env("TERM", "xterm").env_remove("NO_COLOR");
    command.env("DYNAMODB_PORT", port(&stack.table.url())).env("PORT", port(FRONT_END)).env("LOCAL_DATA", "memory");
    command.stdin(terminal.side()).stdout(Stdio::piped()).stderr(terminal.side());
    command
}

/// Runs a command to its end. Gives its exit code, what it wrote to standard output, and what the terminal showed.
async fn run(stack: &Embedded, arguments: &[&str], typed: &str) -> (i32, String, String) {
    let mut terminal = Terminal::new();
    if !typed.is_empty() {
        terminal.types(typed);
    }
    let child = at_terminal(stack, arguments, &terminal).spawn().unwrap();
    let watching = terminal.watch();
    let ended = tokio::task::spawn_blocking(|| child.wait_with_output().unwrap()).await.unwrap();
    (ended.status.code().unwrap(), String::from_utf8(ended.stdout).unwrap(), watching.join().unwrap())
}

/// 150 users, of whom the first is refused.
fn file() -> TempFile {
    let rows: Vec<_> = [user_with(1, &json!({"email": "nobody"}))].into_iter().chain(users(150).split_off(1)).collect();
    TempFile::of(&rows)
}

#[tokio::test]
async fn an_import_shows_its_progress_on_the_terminal_and_only_there() {
    let stack = Embedded::start(&[]).await;
    let file = file();
    let arguments = ["import", file.path(), "--proved", "all", "--rate", "200", "--json"];
    let (code, out, shown) = run(&stack, &arguments, "").await;
    assert_eq!(code, 2, "{shown}");
    // Such as "█████░░░░ 51/150 198.2/s, 1s left, 1 refused".
    let line = |line: &&str| line.contains("/150 ") && line.contains("/s, ") && line.ends_with("s left, 1 refused");
    let lines: Vec<_> = shown.split(['\r', '\u{1b}']).filter(line).collect();
    let done = |line: &str| line.split("/150 ").next()?.rsplit(' ').next()?.parse::<u64>().ok();
    assert!(lines.iter().any(|line| done(line).is_some_and(|done| (2..150).contains(&done))), "{lines:?} of {shown:?}");
    assert!(out.starts_with("{\"run\":") && out.ends_with("}\n") && out.lines().count() == 1, "{out}");
    assert!(!out.contains("left, 1 refused"), "{out}");

    let piped = Program::of(&stack).run(&["import", file.path(), "--proved", "all", "--rate", "200"]).await;
    let refused =
        "line 1: address-invalid: correct the address; it must have one @, ASCII before it and a domain after it\n";
    assert_eq!((piped.code, piped.notes().as_str()), (2, refused), "without a terminal there is no progress");
}

#[tokio::test]
async fn the_scans_show_how_far_they_are_on_the_terminal() {
    let stack = Embedded::start(&[]).await;
    assert_eq!(Program::of(&stack).run(&["import", file().path(), "--proved", "all"]).await.code, 2);
    for (arguments, shown_rows) in [
        (&["export", "-"][..], "149 lines, "),
        (&["stats"], "149 accounts, "),
        (&["legacy", "--list"], "149 accounts, "),
        (&["doctor", "--data"], "150 rows, "),
    ] {
        let (code, out, shown) = run(&stack, arguments, "").await;
        assert_eq!(code, 0, "{arguments:?}: {shown}");
        assert!(shown.contains(shown_rows), "{arguments:?}: {shown:?}");
        assert!(!out.contains('\u{1b}'), "{arguments:?}: {out:?}");
    }
}

#[tokio::test]
async fn errors_are_red_on_a_terminal_and_plain_elsewhere() {
    let stack = Embedded::start(&[]).await;
    let (code, _, shown) = run(&stack, &["find", "404"], "").await;
    assert_eq!((code, shown.as_str()), (4, "\u{1b}[31merror:\u{1b}[0m there is no account 404\r\n"));
    let piped = Program::of(&stack).run(&["find", "404"]).await;
    assert_eq!(piped.err, "error: there is no account 404\n");

    let terminal = Terminal::new();
    let mut command = at_terminal(&stack, &["find", "404"], &terminal);
    let mut child = command.env("NO_COLOR", "1").spawn().unwrap();
    drop(command);
    let shown = terminal.watch();
    tokio::task::spawn_blocking(move || child.wait().unwrap()).await.unwrap();
    assert_eq!(shown.join().unwrap(), "error: there is no account 404\r\n");
}

#[tokio::test]
async fn an_account_is_erased_only_after_its_address_is_typed() {
    let stack = Embedded::start(&[]).await;
    let ana = stack.service.visitor().signed_in().await;
    let erase = ["erase", &ana.email, "--reason", "asked by the owner"];
    for typed in ["", "yes", "another@example.com"] {
        let (code, out, shown) = run(&stack, &erase, if typed.is_empty() { " " } else { typed }).await;
        assert_eq!((code, out.as_str()), (1, ""), "{typed}: {shown}");
        assert!(shown.contains("Type its address: ") && shown.contains("nothing was changed"), "{typed}: {shown}");
        assert_eq!(ana.clone().session().await.status, 200, "{typed}");
    }
    let (code, out, shown) = run(&stack, &erase, &ana.email).await;
    assert!(code == 0 && out.contains("changed         true"), "{out} {shown}");
    assert_eq!(ana.clone().session().await.status, 401);
}

/// The completion script for a shell.
async fn completions(shell: &str) -> String {
    let script = crate::run(Vec::new(), &["completions", shell]).await;
    assert_eq!((script.code, script.err.as_str()), (0, ""), "{script:?}");
    script.out
}

#[tokio::test]
async fn the_completion_scripts_know_every_command() {
    let help = crate::run(Vec::new(), &["--help"]).await.out;
    let listed = help.split("Commands:\n").nth(1).unwrap().lines();
    let is_command = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let commands: Vec<_> = listed.take_while(|line| !line.is_empty()).filter(is_command).map(str::trim).collect();
    let commands: Vec<_> = commands.into_iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert!(commands.len() > 12 && commands.contains(&"force-reset"), "{commands:?} of {help}");
    for shell in ["bash", "zsh", "fish"] {
        let script = completions(shell).await;
        for command in commands.iter().chain(&["undo", "--avatar-map", "--reason"]) {
            // fish names the options without hyphens.
            let named = if shell == "fish" { command.trim_start_matches('-') } else { command };
            assert!(script.contains(named), "{shell} does not know {command}");
        }
    }
}

#[tokio::test]
async fn bash_completes_commands_and_options() {
    let script = TempFile::with("bash", completions("bash").await);
    for (typed, completed) in [
        ("accounts im", "import"),
        ("accounts --local sess", "sessions"),
        ("accounts import und", "undo"),
        ("accounts import users.csv --avatar", "--avatar-map"),
        ("accounts legacy remove --format php", "phpass"),
    ] {
        // As bash does when the tab key is pressed.
        let press = r#"source "$1"; read -ra COMP_WORDS <<< "$2"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            "$(complete -p accounts | sed 's/.*-F \([^ ]*\).*/\1/')" accounts "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
            echo "${COMPREPLY[*]}""#;
        let output = Command::new("bash").args(["-c", press, "bash", script.path(), typed]).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), completed, "{typed}");
    }
}
