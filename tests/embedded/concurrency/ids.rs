//! Account ids. Each process leases its own blocks.

use std::collections::HashSet;
use std::time::Duration;

use futures_util::future::join_all;
use journeys::Embedded;
use shared::store::Ids;

/// The processes that lease at once.
const PROCESSES: usize = 32;
/// Ids of one lease.
const BLOCK: usize = 50;

#[tokio::test]
async fn processes_that_lease_ids_at_once_never_get_the_same_id() {
    let stack = Embedded::start(&[]).await;
    let mut given = HashSet::new();
    for _ in 0..20 {
        let processes: Vec<Ids> = (0..PROCESSES).map(|_| Ids::new(&stack.setup(&[]))).collect();
        // One id more than a lease holds, so that each process has to lease twice.
        let each = processes.iter().flat_map(|ids| (0..=BLOCK).map(|_| ids.next()));
        for id in join_all(each).await {
            let id = id.unwrap();
            assert!((1..1 << 53).contains(&id) && given.insert(id), "{id}");
        }
    }
}

#[tokio::test]
async fn a_process_assigns_the_ids_of_a_lease_for_one_minute() {
    let stack = Embedded::start(&[]).await;
    let ids = Ids::new(&stack.setup(&[]));
    // The clock also advances by itself, so the steps leave a margin of ten seconds.
    for (seconds, expected) in [(0, 1), (50, 2), (10, 51), (50, 52), (60, 101)] {
        stack.advance(Duration::from_secs(seconds));
        assert_eq!(ids.next().await.unwrap(), expected);
    }
}
