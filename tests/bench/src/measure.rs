//! One run of one variant: how it starts, and what its calls cost once it is warm.

use std::time::Duration;

use crate::runtime_api::{Function, Program};
use crate::scenario::Scenario;
use crate::table::Table;
use crate::{Outcome, process};

/// From spawn to the first answer, with the event waiting from the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cold {
    /// Until it asks for its first event.
    pub ready: Duration,
    /// Until it has answered it.
    pub answered: Duration,
    /// Processor time until then.
    pub cpu: Duration,
}

/// After the first answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Warm {
    /// Processor time of one of the first calls.
    pub first: Duration,
    /// Processor time of one of the calls that follow.
    pub later: Duration,
    /// Bytes resident at the most, since the start.
    pub peak_rss: u64,
    /// Calls to other services, of a hundred calls.
    pub calls_of_100: u64,
}

/// Starts the function once.
///
/// # Errors
/// It fails, or answers anything else than it should.
pub async fn cold(program: &Program, scenario: &Scenario) -> Outcome<Cold> {
    let mut function = Function::spawn(program).await?;
    function.send(&scenario.event);
    let ready = function.ready().await?;
    let (answered, answer) = function.answer().await?;
    let cpu = process::usage(function.pid()?)?.cpu;
    scenario.check(&answer)?;
    function.end().await?;
    Ok(Cold { ready, answered, cpu })
}

/// Starts the function, and lets it answer `first` calls after its first one, and then `later` more.
///
/// # Errors
/// It fails, or answers anything else than it should.
pub async fn warm(program: &Program, scenario: &Scenario, table: &Table, first: u32, later: u32) -> Outcome<Warm> {
    let mut function = Function::spawn(program).await?;
    function.succeed(scenario).await?;
    let made = |table: &Table| table.count().calls.values().sum::<u64>();
    let (calls, begun) = (made(table), used(&function)?);
    for _ in 0..first {
        function.succeed(scenario).await?;
    }
    let warm = used(&function)?;
    for _ in 0..later {
        function.succeed(scenario).await?;
    }
    let done = process::usage(function.pid()?)?;
    let calls = (made(table) - calls) * 100 / u64::from(first + later);
    function.end().await?;
    Ok(Warm {
        first: warm.saturating_sub(begun) / first,
        later: done.cpu.saturating_sub(warm) / later,
        peak_rss: done.peak_rss,
        calls_of_100: calls,
    })
}

fn used(function: &Function) -> Outcome<Duration> {
    Ok(process::usage(function.pid()?)?.cpu)
}

/// The one in the middle; of an even number the higher of the two. None of nothing.
#[must_use]
pub fn median<T: Ord + Copy>(values: impl IntoIterator<Item = T>) -> Option<T> {
    let mut values: Vec<T> = values.into_iter().collect();
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_one_in_the_middle_whatever_the_order() {
        assert_eq!(median([9, 1, 5]), Some(5));
        assert_eq!(median([1, 9]), Some(9));
        assert_eq!(median::<u32>([]), None);
    }
}
