//! What the run showed, as Markdown.

use std::fmt::Write;

use goose::prelude::GooseMetrics;

use crate::contract::paths;
use crate::memory::{Course, mib};
use crate::read_back::Verdict;

/// The first status that is the service's own fault.
const FIRST_SERVER_ERROR: u16 = 500;

/// Everything that the report tells.
pub(crate) struct Report {
    /// Machine and day.
    pub(crate) run_on: String,
    /// How long requests were sent, in seconds.
    pub(crate) seconds: u64,
    /// People at once.
    pub(crate) users: usize,
    /// What the load generator measured.
    pub(crate) metrics: GooseMetrics,
    /// Acknowledged writes.
    pub(crate) writes: u64,
    /// Answers that were not the expected ones, and requests without an answer.
    pub(crate) failed: u64,
    /// What was read back.
    pub(crate) verdict: Verdict,
    /// How the stack's memory went; `None` if it could not be seen.
    pub(crate) course: Option<Course>,
    /// Steady growth that the run allows, in bytes for each answer.
    pub(crate) growth_max: u64,
    /// Processors that the stack, and the load generator, kept busy on average.
    pub(crate) processors: (f64, f64),
}

/// What happened at one path.
struct Row {
    path: &'static str,
    requests: usize,
    server_errors: usize,
    unanswered: usize,
    /// Median, 95th and 99th percentile, slowest, in microseconds.
    times: [u64; 4],
}

impl Report {
    fn rows(&self) -> Vec<Row> {
        let rows = paths::ALL.iter().filter_map(|&path| {
            let of = self.metrics.requests.values().find(|of| of.path == path)?;
            let count = |wanted: fn(u16) -> bool| {
                of.status_code_counts.iter().filter(|(status, _)| wanted(**status)).map(|(_, count)| count).sum()
            };
            let times = &of.raw_data;
            Some(Row {
                path,
                requests: times.counter,
                server_errors: count(|status| status >= FIRST_SERVER_ERROR),
                unanswered: count(|status| status == 0),
                times: [
                    times.percentile_us(0.5),
                    times.percentile_us(0.95),
                    times.percentile_us(0.99),
                    times.maximum_time_us,
                ],
            })
        });
        rows.collect()
    }

    /// What must not be, in words; empty if all is well.
    pub(crate) fn faults(&self) -> Vec<String> {
        let rows = self.rows();
        let server_errors: usize = rows.iter().map(|row| row.server_errors).sum();
        let unanswered: usize = rows.iter().map(|row| row.unanswered).sum();
        let missing = paths::ALL.iter().filter(|path| rows.iter().all(|row| row.path != **path));
        let mut faults: Vec<String> = missing.map(|path| format!("{path} was never called: run longer")).collect();
        let mut fault = |found: bool, text: String| {
            if found {
                faults.push(text);
            }
        };
        fault(server_errors > 0, format!("{server_errors} answers were 5xx"));
        fault(unanswered > 0, format!("{unanswered} requests had no answer"));
        fault(self.failed > 0, format!("{} answers were not the expected ones", self.failed));
        fault(
            self.verdict.lost > 0,
            format!("{} acknowledged writes are not as they were acknowledged", self.verdict.lost),
        );
        match self.course {
            None => fault(true, "the stack's memory could not be seen".to_owned()),
            Some(course) => fault(
                course.growth_per_answer() > self.growth_max,
                format!(
                    "memory grows by {} bytes an answer, of {} allowed",
                    course.growth_per_answer(),
                    self.growth_max
                ),
            ),
        }
        faults
    }

    /// The whole report.
    pub(crate) fn markdown(&self) -> String {
        let rows = self.rows();
        let requests: usize = rows.iter().map(|row| row.requests).sum();
        let seconds = f64::from(u32::try_from(self.seconds).unwrap_or(u32::MAX));
        let rate = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX)) / seconds;
        let mut text = format!(
            "# Load\n\nMade by `make load SECONDS={} USERS={}` on {}. People without patience: the next request follows the \
             last answer, so times hold the wait for a processor, which the load generator shares.\n\n",
            self.seconds, self.users, self.run_on
        );
        text += "| Path | Requests | a second | p50 ms | p95 ms | p99 ms | slowest ms | 5xx | unanswered |\n";
        text += "|---|---:|---:|---:|---:|---:|---:|---:|---:|\n";
        for row in &rows {
            let [p50, p95, p99, slowest] = row.times.map(milliseconds);
            let _ = writeln!(
                text,
                "| `{}` | {} | {:.1} | {p50} | {p95} | {p99} | {slowest} | {} | {} |",
                row.path,
                row.requests,
                rate(row.requests),
                row.server_errors,
                row.unanswered
            );
        }
        let _ = writeln!(text, "| all | {requests} | {:.1} | | | | | | |", rate(requests));
        text += "\n| | |\n|---|---|\n";
        let Verdict { accounts, deleted, entries, unjudged, lost, .. } = &self.verdict;
        let _ = writeln!(text, "| acknowledged writes | {} |", self.writes);
        let _ = writeln!(
            text,
            "| read back at the end | {accounts} accounts with all their fields, {entries} entries once each, {deleted} deleted accounts that stay so |"
        );
        let _ = writeln!(text, "| not as acknowledged | {lost} |");
        let _ = writeln!(text, "| not judged, for their last write failed | {unjudged} |");
        let _ = writeln!(text, "| unexpected answers | {} |", self.failed);
        if let Some(course) = self.course {
            let (early, late) = course.ends_kib();
            let _ = writeln!(
                text,
                "| the stack's own memory, after the warm-up and at the end | {:.1} MiB, {:.1} MiB |\n\
                 | of it, steady growth | {} bytes an answer, of {} allowed |",
                mib(early),
                mib(late),
                course.growth_per_answer(),
                self.growth_max
            );
        }
        let (stack, generator) = self.processors;
        let _ = writeln!(text, "| processors kept busy: stack, load generator | {stack:.2}, {generator:.2} |");
        text
    }
}

fn milliseconds(microseconds: u64) -> String {
    format!("{:.1}", f64::from(u32::try_from(microseconds).unwrap_or(u32::MAX)) / 1000.0)
}
