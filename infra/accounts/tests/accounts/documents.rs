//! The recordings in the documents: a block with lines `$ COMMAND` and below each what the command prints. The tests
//! type these commands and compare, or write the blocks anew (`make generated`).

use std::fs::{self, File, OpenOptions};
use std::path::Path;
use std::process::Command;

use journeys::{Embedded, FRONT_END, generated};
use serde_json::json;
use tempfile::TempDir;

use crate::importing::files::{HASH, user_with};
use crate::port;
use crate::terminal::Terminal;

/// Every time in the recordings.
const TIME: &str = "2026-11-22T10:00:00.000Z";
/// The day on which the imported users were created. It stays.
const CREATED: &str = "2020-02-29";
/// The address of `make dev`, in place of the one of the tests' stack.
const SERVICE: &str = "http://localhost:3000";

/// A computer with the program and a stack.
struct Desk<'a> {
    stack: &'a Embedded,
    folder: TempDir,
    /// The random ids of runs and commands so far.
    ids: Vec<String>,
}

impl<'a> Desk<'a> {
    fn at(stack: &'a Embedded) -> Self {
        Self { stack, folder: tempfile::tempdir().unwrap(), ids: Vec::new() }
    }

    /// What a person sees who types a command, and then the answer to its question.
    async fn shows(&mut self, command: &str, answer: Option<&str>) -> String {
        self.even_times();
        let seen = tempfile::NamedTempFile::new().unwrap();
        let open = || -> File { OpenOptions::new().append(true).open(seen.path()).unwrap() };
        let program = Path::new(env!("CARGO_BIN_EXE_accounts")).parent().unwrap().to_str().unwrap();
        let mut terminal = Terminal::new();
        if let Some(answer) = answer {
            terminal.types(answer);
        }
        let mut shell = Command::new("bash");
        shell.args(["-c", command]).current_dir(self.folder.path()).env_remove("LOCAL_DATA");
        shell.env("PATH", format!("{program}:{}", std::env::var("PATH").unwrap()));
        shell.env("DYNAMODB_PORT", port(&self.stack.table.url())).env("PORT", port(FRONT_END));
        shell.stdin(terminal.side()).stdout(open()).stderr(open());
        tokio::task::spawn_blocking(move || shell.status().unwrap()).await.unwrap();
        let mut text = fs::read_to_string(seen.path()).unwrap();
        if let Some(answer) = answer {
            // The terminal shows what is typed; the program does not.
            let question = text.find("Type ").unwrap_or_else(|| panic!("{command} asks nothing: {text}"));
            let end = question + text.split_at(question).1.find(": ").unwrap() + 2;
            text.insert_str(end, &format!("{answer}\n"));
        }
        self.steady(&text)
    }

    /// Gives the times of the audit lines three digits after the second. A time that ends in 0 has fewer, and the table
    /// of `accounts audit` is then narrower.
    fn even_times(&self) {
        let trail = self.folder.path().join(".local/operator.ndjson");
        let Ok(lines) = fs::read_to_string(&trail) else { return };
        let even = |line: &str| {
            let (start, rest) = line.split_once("Z\"").unwrap();
            let (second, digits) = start.rsplit_once('.').unwrap_or((start, ""));
            format!("{second}.{digits:0<3}Z\"{rest}\n")
        };
        fs::write(&trail, lines.lines().map(even).collect::<String>()).unwrap();
    }

    /// The text with what differs from run to run replaced by something of the same length.
    fn steady(&mut self, text: &str) -> String {
        let text = text.replace(FRONT_END, SERVICE);
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-:._".contains(c);
        let mut steady = String::new();
        for part in text.split_inclusive(|c| !is_part(c)) {
            let word = part.trim_end_matches(|c| !is_part(c));
            let is_hex = |text: &str| text.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c));
            let is_run = |word: &str| word.len() == 17 && word.find('-') == Some(8) && is_hex(&word.replace('-', ""));
            let shown = if word.len() == 16 && is_hex(word) {
                self.steady_id(word)
            } else if is_run(word) {
                let mut run = self.steady_id(word);
                run.insert(8, '-');
                run
            } else if word.ends_with('Z') && word.get(10..11) == Some("T") && !word.starts_with(CREATED) {
                format!("{}Z", &TIME[..word.len() - 1])
            } else {
                word.to_owned()
            };
            steady += &shown;
            steady += &part[word.len()..];
        }
        steady
    }

    fn steady_id(&mut self, id: &str) -> String {
        let known = self.ids.iter().position(|known| known == id);
        let place = known.unwrap_or_else(|| {
            self.ids.push(id.to_owned());
            self.ids.len() - 1
        });
        format!("{:016x}", 0x80c7_dbb3_c642_d196_u64.wrapping_mul(2 * place as u64 + 1))
    }
}

/// A part of a document: a line, or a command and what is recorded below it.
enum Part<'a> {
    Line(&'a str),
    Recorded { command: &'a str, answer: Option<&'a str> },
}

/// The parts of a document.
fn parts(document: &str) -> Vec<Part<'_>> {
    let (mut parts, mut is_recording, mut is_block) = (Vec::new(), false, false);
    for line in document.split_inclusive('\n') {
        let is_fence = line.starts_with("```");
        if is_fence {
            (is_block, is_recording) = (!is_block, false);
        }
        if let (true, Some(command)) = (is_block, line.strip_prefix("$ ")) {
            is_recording = true;
            parts.push(Part::Recorded { command: command.trim_end(), answer: None });
        } else if let (true, Some(Part::Recorded { answer, .. })) = (is_recording, parts.last_mut()) {
            if let Some((_, question)) = line.split_once("Type ") {
                *answer = question.split_once(": ").map(|(_, typed)| typed.trim_end());
            }
        } else {
            parts.push(Part::Line(line));
        }
    }
    parts
}

/// Types the commands of a document.
async fn check(document: &str, desk: &mut Desk<'_>) {
    let current = fs::read_to_string(generated::path(document)).unwrap();
    let (mut text, mut commands) = (String::new(), 0);
    for part in parts(&current) {
        match part {
            Part::Line(line) => text += line,
            Part::Recorded { command, answer } => {
                text.extend(["$ ", command, "\n", &desk.shows(command, answer).await]);
                commands += 1;
            }
        }
    }
    assert!(commands > 2, "{document} has no recordings");
    generated::check_file(document, &text);
}

#[tokio::test]
async fn docs_accounts_shows_what_the_program_prints() {
    let stack = Embedded::start(&[]).await;
    let mut visitor = stack.service.visitor();
    visitor.email = "ana@example.com".to_owned();
    assert_eq!(visitor.register_with(&[("nombre", "Ana")]).await.success(), true);
    assert_eq!(visitor.login(journeys::PASSWORD).await.success(), true);
    check("docs/accounts.md", &mut Desk::at(&stack)).await;
}

#[tokio::test]
async fn docs_moving_in_shows_what_the_program_prints() {
    let stack = Embedded::start(&[]).await;
    let mut desk = Desk::at(&stack);
    let avatar = format!("{SERVICE}/assets/avatars/03.jpeg");
    let rows = [
        json!({"email": "ana@example.com", "name": "Ana", "url_image": "https://shop.example/me.png", "password": HASH}),
        json!({"email": "eva@example.com", "name": "Eva", "url_image": avatar, "password": HASH, "email_verified": 0}),
        json!({"email": "luz@example.com", "name": "Luz", "url_image": avatar, "password": null, "google_sub": "901"}),
        json!({"email": "nobody", "name": "Nadie", "url_image": avatar, "password": HASH}),
    ];
    let rows: Vec<String> = (1..).zip(rows).map(|(id, row)| user_with(id, &row).to_string()).collect();
    fs::write(desk.folder.path().join("users.ndjson"), rows.join("\n") + "\n").unwrap();
    check("docs/moving-in.md", &mut desk).await;
}
