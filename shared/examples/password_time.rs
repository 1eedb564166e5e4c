//! How long a login with a password of 4 MB takes beside one with 8 characters. Measured, not asserted in a test: only an
//! optimised build on a quiet machine tells it. Fails beyond [`RATIO_MAX`].

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shared::body::form_fields;
use shared::clock::SystemClock;
use shared::event::Request;
use shared::random::SystemRandom;
use shared::{Fault, Password, Passwords, Setup};

/// 4 MiB; an event of Lambda's has 6 MB at the most.
const LONG: usize = 4 << 20;
/// Odd, so that there is a median.
const ROUNDS: usize = 51;
/// What a client may make a login cost with a long password.
const RATIO_MAX: f64 = 1.5;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode, Fault> {
    let passwords = Passwords::new(&Setup::new([], Arc::new(SystemClock), Arc::new(SystemRandom)));
    let (short, long) = ("Passw0rd".to_owned(), format!("A1{}", "x".repeat(LONG)));
    let (mut times, mut long_times) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        times.push(time(&passwords, &short).await?);
        long_times.push(time(&passwords, &long).await?);
    }
    let (short, long) = (median(times), median(long_times));
    let ratio = long / short;
    println!("login with 8 characters {short:5.1} ms, of 4 MB {long:5.1} ms, {ratio:.2} times as long");
    Ok(if ratio <= RATIO_MAX { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// From the gateway's event to the verdict: all of a login but the table.
#[expect(clippy::disallowed_methods, reason = "what is measured is the real time")]
async fn time(passwords: &Passwords, password: &str) -> Result<Duration, Fault> {
    let headers = r#"{"content-type":"application/x-www-form-urlencoded"}"#;
    let body = format!("email=ana%40example.com&password={password}");
    let event = format!(r#"{{"headers":{headers},"body":"{body}","requestContext":{{"http":{{"method":"POST"}}}}}}"#);
    let broken = || Fault::new("event", "broken");
    let start = Instant::now();
    let request = Request::from_event(&event).ok_or_else(broken)?;
    let mut fields = form_fields(&request).await.map_err(|_| broken())?;
    let text = fields.take("password").map_err(|_| broken())?;
    let password = Password::parse(text).map_err(|_| broken())?;
    passwords.verify(None, &password).await?;
    drop((request, fields, password));
    Ok(start.elapsed())
}

/// In milliseconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}
