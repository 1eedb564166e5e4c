//! Rounds in one figure each: medians, and ratios to this service in the same run.

use std::time::Duration;

use super::load::Measured;
use super::round::{Row, Turn};

/// A service and all its turns.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// Its version and that of what it runs on.
    pub version: String,
    /// What it does for a request.
    pub remarks: &'static str,
    /// A turn for each round.
    pub turns: Vec<Turn>,
}

/// The medians of a row with one number of clients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Processor time of a request, all processes of the service, in milliseconds.
    pub cpu_ms: f64,
    /// The part of it that the tables' process takes.
    pub tables_ms: f64,
    /// Half of the requests took no longer, in milliseconds.
    pub p50_ms: f64,
    /// Requests a second.
    pub per_second: f64,
}

impl Entry {
    /// The figures of a row, or why there are none.
    ///
    /// # Errors
    /// The service cannot be asked for it, or no round has run.
    pub fn cell(&self, row: Row, clients: usize) -> Result<Cell, &'static str> {
        let measured: Vec<&Result<Measured, &'static str>> =
            self.turns.iter().filter_map(|turn| turn.get(&(row, clients))).collect();
        if let Some(Err(reason)) = measured.first() {
            return Err(reason);
        }
        let of = |figure: &dyn Fn(&Measured) -> f64| {
            median(measured.iter().filter_map(|each| each.as_ref().ok()).map(figure).collect()).ok_or("no round")
        };
        Ok(Cell {
            cpu_ms: of(&|each| per_request(each.used.server + each.used.tables, each))?,
            tables_ms: of(&|each| per_request(each.used.tables, each))?,
            p50_ms: of(&|each| each.times.get(each.times.len() / 2).map_or(0.0, |time| milliseconds(*time)))?,
            per_second: of(&|each| count(each.requests) / each.wall.as_secs_f64())?,
        })
    }

    /// The most memory that was resident at once by the end of a turn, in MiB: the median of all turns.
    #[must_use]
    pub fn peak_mib(&self) -> Option<f64> {
        let peak = |turn: &Turn| turn.values().flatten().map(|each| each.used.peak_rss).max();
        let mib = |bytes: u64| count(usize::try_from(bytes >> 10).unwrap_or(usize::MAX)) / 1024.0;
        median(self.turns.iter().filter_map(peak).map(mib).collect())
    }
}

/// The middle of some figures: of an even number the mean of both middles.
fn median(mut figures: Vec<f64>) -> Option<f64> {
    figures.sort_by(f64::total_cmp);
    let upper = figures.len() / 2;
    let lower = upper.checked_sub(usize::from(figures.len().is_multiple_of(2)))?;
    Some(f64::midpoint(*figures.get(lower)?, *figures.get(upper)?))
}

fn per_request(cpu: Duration, measured: &Measured) -> f64 {
    milliseconds(cpu) / count(measured.requests)
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// A count as a divisor: exact below 2³².
fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::http::running::Used;

    /// Requests that used so many milliseconds of the server and one of the tables, each.
    pub(in crate::http) fn measured(server_ms: u64) -> Measured {
        let used = Used {
            server: Duration::from_millis(server_ms * 10),
            tables: Duration::from_millis(10),
            peak_rss: server_ms << 20,
        };
        let times = (1..=10).map(Duration::from_millis).collect();
        Measured { requests: 10, wall: Duration::from_millis(100), used, times, given: Vec::new() }
    }

    /// A service with a turn for each of these figures.
    pub(in crate::http) fn entry(name: &'static str, server_ms: &[u64]) -> Entry {
        let turn = |ms: &u64| Turn::from([((Row::Login, 1), Ok(measured(*ms))), ((Row::Google, 1), Err("it cannot"))]);
        Entry { name, version: "1".to_owned(), remarks: "little", turns: server_ms.iter().map(turn).collect() }
    }

    #[test]
    fn a_cell_is_the_median_of_the_rounds_for_each_request() {
        let cell = entry("a", &[900, 4, 2]).cell(Row::Login, 1).unwrap();
        assert_eq!(cell, Cell { cpu_ms: 5.0, tables_ms: 1.0, p50_ms: 6.0, per_second: 100.0 });
    }

    #[test]
    fn a_row_that_cannot_be_asked_has_its_reason_and_one_that_never_ran_none() {
        assert_eq!(entry("a", &[1]).cell(Row::Google, 1), Err("it cannot"));
        assert!(entry("a", &[1]).cell(Row::Session, 1).is_err());
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_both_middles() {
        assert_eq!(median(vec![4.0, 1.0, 3.0, 100.0]), Some(3.5));
        assert_eq!(median(vec![7.0]), Some(7.0));
        assert_eq!(median(Vec::new()), None);
    }

    #[test]
    fn memory_is_the_most_of_a_turn() {
        assert_eq!(entry("a", &[8, 2, 4]).peak_mib(), Some(4.0));
    }
}
