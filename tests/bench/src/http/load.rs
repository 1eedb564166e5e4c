//! Requests in number, by clients beside each other: each answer is judged, each one's time is kept.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::try_join_all;

use super::client::Client;
use super::exchange::{Answer, Request};
use super::running::{Running, Used};
use crate::Outcome;
use crate::stopwatch::now;

/// Says what an answer gives, such as a session; `None` if it is not what it must be.
pub type Judge<'a> = Box<dyn Fn(&Answer) -> Option<String> + 'a>;

/// A request, and what its answer must say.
pub struct Job<'a> {
    /// Whose it is.
    pub email: String,
    /// What is sent.
    pub request: Request,
    /// What is made of the answer.
    pub judge: Judge<'a>,
}

/// What some requests took.
#[derive(Debug, Clone)]
pub struct Measured {
    /// How many there were.
    pub requests: usize,
    /// From the first request to the last answer.
    pub wall: Duration,
    /// What the service used for them.
    pub used: Used,
    /// Each one's time, shortest first.
    pub times: Vec<Duration>,
    /// What the answers gave, in the order of the jobs.
    pub given: Vec<String>,
}

/// Sends all `jobs`, one after another by each client.
///
/// # Errors
/// A request had no answer, or one that is not what it must be; the error shows it.
pub async fn run(running: &Running, clients: &[Client], jobs: &[Job<'_>]) -> Outcome<Measured> {
    let next = AtomicUsize::new(0);
    let work = |client| {
        let next = &next;
        async move {
            let mut done = Vec::with_capacity(jobs.len());
            while let Some((index, job)) = take(next, jobs) {
                let (answer, took) = Client::send(client, &job.request).await?;
                let given = (job.judge)(&answer).ok_or_else(|| unexpected(&job.request, &answer))?;
                done.push((index, took, given));
            }
            Outcome::Ok(done)
        }
    };
    let before = running.used()?;
    let start = now();
    let done = try_join_all(clients.iter().map(work)).await?;
    let wall = start.elapsed();
    let after = running.used()?;

    let mut done: Vec<_> = done.into_iter().flatten().collect();
    done.sort_unstable_by_key(|(index, ..)| *index);
    let mut times: Vec<Duration> = done.iter().map(|(_, took, _)| *took).collect();
    times.sort_unstable();
    let used = Used {
        server: after.server.saturating_sub(before.server),
        tables: after.tables.saturating_sub(before.tables),
        peak_rss: after.peak_rss,
    };
    let given = done.into_iter().map(|(.., given)| given).collect();
    Ok(Measured { requests: jobs.len(), wall, used, times, given })
}

fn take<'a, 'j>(next: &AtomicUsize, jobs: &'a [Job<'j>]) -> Option<(usize, &'a Job<'j>)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((index, jobs.get(index)?))
}

/// What to say of an answer that is not what it must be.
#[must_use]
pub fn unexpected(request: &Request, answer: &Answer) -> String {
    format!("{} was answered {} {}", request.path, answer.status, answer.body)
}
