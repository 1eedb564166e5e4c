//! Compares the processor time of a password of 4 MB with that of one with 8 characters, for the hash and for a whole
//! login without the table. This is not a test, because only an optimised build shows the difference.

use std::sync::Arc;

use shared::endpoint::body::form_fields;
use shared::lambda::read_request;
use shared::system::clock::SystemClock;
use shared::system::random::SystemRandom;
use shared::{Fault, Password, Passwords, Setup};

/// 4 MiB. The largest event of Lambda has 6 MB.
const LONG: usize = 4 << 20;
/// The number of logins of each kind.
const LOGINS: u32 = 100;
/// The length of a tick in ms. Linux counts a process's time in ticks (`USER_HZ`).
const TICK_MS: f64 = 10.0;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Fault> {
    let settings = [("ARGON2_IMPLEMENTATION".to_owned(), "fastest".to_owned())];
    let passwords = Passwords::new(&Setup::new(settings, Arc::new(SystemClock), Arc::new(SystemRandom)));
    // The required characters are at the end, where it takes longest to find them.
    let events = ["Passw0rd".to_owned(), format!("{}A1", "x".repeat(LONG))].map(|password| event(&password));
    let [mut hashes, mut logins] = [[0.0; 2]; 2];
    for _ in 0..LOGINS {
        for ((event, hash), login) in events.iter().zip(&mut hashes).zip(&mut logins) {
            let start = ticks();
            let password = read(event).await?;
            let is_read = ticks();
            passwords.verify(None, &password).await?;
            *hash += ticks() - is_read;
            drop(password);
            *login += ticks() - start;
        }
    }
    print("hash", hashes);
    print("login", logins);
    Ok(())
}

/// Prints the times for 8 characters and for 4 MB, and their ratio.
fn print(what: &str, ticks: [f64; 2]) {
    let [short, long] = ticks.map(|ticks| ticks * TICK_MS / f64::from(LOGINS));
    println!("{what:5} of 8 characters {short:.1} ms, of 4 MB {long:.1} ms, {:.2} times as much", long / short);
}

fn event(password: &str) -> String {
    let headers = r#"{"content-type":"application/x-www-form-urlencoded"}"#;
    let body = format!("email=ana%40example.com&password={password}");
    format!(r#"{{"headers":{headers},"body":"{body}","requestContext":{{"http":{{"method":"POST"}}}}}}"#)
}

/// The password of the gateway's event.
async fn read(event: &str) -> Result<Password, Fault> {
    let broken = || Fault::new("event", "broken");
    let request = read_request(event).ok_or_else(broken)?;
    let mut fields = form_fields(&request).await.map_err(|_| broken())?;
    let text = fields.take("password").map_err(|_| broken())?;
    Password::parse(text).map_err(|_| broken())
}

/// The user and system time of this process so far, in ticks (proc(5)).
fn ticks() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(") ").next().unwrap_or_default();
    after_name.split(' ').skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum()
}
