//! The repetition of calls that failed for a while, and of work that another call has overtaken.

use std::time::Duration;

use tokio::time::Instant;

use super::Table;
use crate::Fault;
use crate::problem::FaultKind;
use crate::system::random;

/// The maximum number of attempts of [`Table::retry`].
const ATTEMPTS_MAX: u32 = 6;
/// The upper bound of the first wait between two attempts. The bound doubles with each attempt, and each wait is a
/// random time below it.
const WAIT_MAX_MS: u64 = 20;

/// The time after this duration, on tokio's timer.
#[expect(clippy::disallowed_methods, reason = "limits a duration, which the injected clock must not change")]
pub(in crate::store) fn within(duration: Duration) -> Instant {
    Instant::now() + duration
}

/// The attempts of one call, after faults of these kinds. The SDK retries none of them, or gives up sooner.
pub(in crate::store) struct Retry<'t> {
    table: &'t Table,
    kinds: &'static [FaultKind],
    until: Option<Instant>,
    attempts: u32,
    /// Whether the answer of an attempt was lost, and may still be carried out.
    may_be_done: bool,
}

impl Table {
    /// At most six attempts: `loop { match call.await { Err(fault) => retry.after(fault).await?, … } }`.
    pub(in crate::store) fn retry(&self, kinds: &'static [FaultKind]) -> Retry<'_> {
        Retry { table: self, kinds, until: None, attempts: 0, may_be_done: false }
    }

    /// As many attempts as begin before this time.
    pub(in crate::store) fn retry_until(&self, until: Instant, kinds: &'static [FaultKind]) -> Retry<'_> {
        Retry { until: Some(until), ..self.retry(kinds) }
    }
}

impl Retry<'_> {
    /// Waits before the next attempt, with exponential backoff and jitter.
    /// Returns the fault if it is not of the kinds that are retried, or if there is no further attempt. If an earlier attempt may
    /// still be carried out, the fault says so.
    pub(in crate::store) async fn after(&mut self, fault: Fault) -> Result<(), Fault> {
        self.may_be_done |= fault.kind == FaultKind::InProgress;
        if !self.kinds.contains(&fault.kind) {
            return Err(fault);
        }
        let kind = if self.may_be_done { FaultKind::InProgress } else { fault.kind };
        self.attempts += 1;
        if self.until.is_none() && self.attempts >= ATTEMPTS_MAX {
            return Err(Fault { kind, ..fault });
        }
        let below = WAIT_MAX_MS << (self.attempts - 1).min(ATTEMPTS_MAX);
        let drawn = u64::from_le_bytes(random::bytes(self.table.random())?) % below;
        tokio::time::sleep(Duration::from_millis(drawn + 1)).await;
        let is_over = self.until.is_some_and(|until| within(Duration::ZERO) >= until);
        if is_over { Err(Fault { kind, ..fault }) } else { Ok(()) }
    }
}

/// Makes attempts until one is not overtaken. An attempt returns `None` if another call changed what it had read; the
/// next one reads again. It fails also if all `rounds` attempts are overtaken.
pub async fn again<T, E: From<Fault>, F: Future<Output = Result<Option<T>, E>>>(
    rounds: usize,
    operation: &'static str,
    mut attempt: impl FnMut() -> F,
) -> Result<T, E> {
    for _ in 0..rounds {
        if let Some(done) = attempt().await? {
            return Ok(done);
        }
    }
    Err(Fault::new(operation, "conflict").into())
}
