//! Account ids. Each process leases its own blocks.

use std::collections::HashSet;
use std::time::Duration;

use futures_util::future::join_all;
use journeys::requests::event;
use journeys::{Embedded, paths};
use serde_json::json;
use shared::store::Ids;

use super::{CROWD, ROUNDS, at_once};
use journeys::rows;
use journeys::sound::assert_sound;

use crate::functions;

/// Ids of one lease.
const BLOCK: usize = 50;

#[tokio::test]
async fn processes_that_lease_ids_at_once_never_get_the_same_id() {
    let stack = Embedded::start(&[]).await;
    let mut given = HashSet::new();
    for round in 1..=ROUNDS {
        let processes: Vec<Ids> = (0..CROWD).map(|_| Ids::new(&stack.setup(&[]))).collect();
        // One id more than a lease holds, so that each process has to lease twice.
        let each = processes.iter().flat_map(|ids| (0..=BLOCK).map(|_| ids.next()));
        for id in join_all(each).await {
            let id = id.unwrap();
            assert!((1..1 << 53).contains(&id), "{id}");
            assert!(given.insert(id), "{id} twice");
        }
        assert_eq!(given.len(), round * CROWD * (BLOCK + 1));
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

#[tokio::test]
async fn parallel_first_logins_across_processes_get_unique_ids() {
    let stack = Embedded::start(&[]).await;
    let processes: Vec<_> = (0..8).map(|_| functions::all(&stack, &[])).collect();
    for round in 1..=ROUNDS {
        let logins = at_once(async |index| {
            let credential = stack.service.visitor().credential(json!({})).await;
            let body = json!({"credential": credential}).to_string();
            let event = event(paths::GOOGLE_LOGIN, "application/json", &body).to_string();
            let process = &processes[index % processes.len()];
            process.iter().find(|function| function.path == paths::GOOGLE_LOGIN).unwrap().invoke(&event).await
        });
        for (status, body) in logins.await {
            assert_eq!((status, &body["status"]), (200, &json!("inserted")), "{body}");
        }
        assert_sound(&stack).await;
        let rows = stack.items("accounts").await;
        let ids = rows.iter().filter(|row| rows::text(row, "sk") == "profile").map(|row| rows::text(row, "id"));
        let ids: HashSet<u64> = ids.map(|id| id.parse().unwrap()).collect();
        assert_eq!(ids.len(), round * CROWD);
        assert!(ids.iter().all(|id| (1..1 << 53).contains(id)), "{ids:?}");
    }
}
