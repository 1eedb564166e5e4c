//! Runs on a machine that is too slow for the deadlines of the service.

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::pin::pin;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::Instant;

/// How often the machine is observed.
const TICK: Duration = Duration::from_millis(100);
/// If the machine stops for longer than this, an attempt of the SDK or the whole request may miss its deadline: an answer
/// comes at most 1 second before it is missed.
const STALL: Duration = Duration::from_millis(500);
/// How often a run is repeated.
const TRIES: u32 = 5;

/// Does the work, and tells the longest time for which the machine stopped meanwhile.
#[expect(clippy::disallowed_methods, reason = "it measures the machine, not the service")]
async fn observed<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let mut work = pin!(work);
    let mut longest = Duration::ZERO;
    loop {
        let due = Instant::now() + TICK;
        let done = tokio::time::timeout_at(due, &mut work).await;
        longest = longest.max(due.elapsed());
        if let Ok(done) = done {
            return (done, longest);
        }
    }
}

/// The result of a run. A run that fails while the machine stops says nothing about the service, and is repeated.
pub(super) async fn unless_stalled<T, F: Future<Output = T>>(run: impl Fn() -> F) -> T {
    for attempt in 1.. {
        match observed(AssertUnwindSafe(run()).catch_unwind()).await {
            (Ok(done), _) => return done,
            (Err(_), stalled) if stalled > STALL && attempt < TRIES => {
                eprintln!("The machine stopped for {stalled:?}: the run is repeated.");
            }
            (Err(panic), _) => resume_unwind(panic),
        }
    }
    unreachable!("the loop returns or panics")
}

#[tokio::test(start_paused = true)]
async fn a_run_that_fails_is_repeated_only_if_the_machine_has_stopped() {
    use std::sync::atomic::{AtomicU32, Ordering};

    let runs = AtomicU32::new(0);
    let stalls_once = unless_stalled(|| async {
        let is_first = runs.fetch_add(1, Ordering::Relaxed) == 0;
        tokio::time::sleep(TICK / 2).await;
        if is_first {
            tokio::time::advance(STALL + TICK).await;
        }
        assert!(!is_first, "a deadline was missed");
    });
    stalls_once.await;
    assert_eq!(runs.load(Ordering::Relaxed), 2);

    let fails = AssertUnwindSafe(unless_stalled(|| async {
        runs.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(TICK * 30).await;
        panic!("half done");
    }));
    assert!(FutureExt::catch_unwind(fails).await.is_err());
    assert_eq!(runs.load(Ordering::Relaxed), 3, "a real failure is not repeated");
}
