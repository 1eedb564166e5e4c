//! The writes of the store as requests, the function `notices`, operators and imports send them.

use std::collections::BTreeMap;

use journeys::requests::{Actor, requests};
use journeys::rows::to_json;
use journeys::{Embedded, Request, unrecorded};
use shared::Setup;

use super::engine::{Engine, Rows, rows};
use super::states::faults;
use super::writes::{Recorded, Right, members, parts_of, shape};
use super::{importing, listening, operating, repairing};

/// Settings with which requests make further writes.
const FULL: [(&str, &str); 3] = [("NOTICES", "on"), ("LOGIN_MAX_FAILURES", "20"), ("RESET_COOLDOWN_SECONDS", "60")];

/// Collects each write once.
pub(super) struct Recorder {
    all: BTreeMap<String, Recorded>,
    engine: Engine,
}

/// A setup whose calls to the tables are recorded.
pub(super) fn setup(stack: &Embedded) -> Setup {
    stack.setup(&[("AWS_ENDPOINT_URL_DYNAMODB", &stack.table.url()), ("NOTICES", "on")])
}

/// The rows of the accounts table.
pub(super) async fn table(stack: &Embedded) -> Rows {
    rows(&stack.items("accounts").await.iter().map(to_json).collect::<Vec<_>>())
}

/// Deletes all rows.
pub(super) async fn clear(stack: &Embedded) {
    for item in stack.items("accounts").await {
        journeys::rows::delete(stack, &item).await;
    }
}

impl Recorder {
    /// Records the writes that an act makes. Each one finds the table as the ones before it have left it.
    pub(super) fn record<'a, T: 'a>(
        &'a mut self,
        stack: &'a Embedded,
        (name, right): (&'a str, Right),
        act: impl Future<Output = T> + 'a,
    ) -> impl Future<Output = T> + 'a {
        // On the heap, because the futures of requests and operators are large.
        let act = Box::pin(act);
        async move {
            let mut base = table(stack).await;
            stack.table.bodies();
            let done = act.await;
            let calls = stack.table.bodies();
            let new = unrecorded(&calls);
            assert!(new.is_empty(), "new forms of calls, run `make engine-forms`: {new:#?}");
            for (operation, body) in calls {
                let parts = parts_of(&operation, &body);
                let (parts, entries): (Vec<_>, Vec<_>) =
                    parts.into_iter().partition(|part| members(part).1["TableName"] == "accounts");
                if parts.is_empty() {
                    continue;
                }
                let after = self.engine.after(&base, &parts);
                let right = right.of_write(&parts);
                let shape = format!("{} {}", shape(&parts), matches!(right, Right::Import));
                let is_repair = !faults(&base).is_empty();
                let (name, has_entries) = (name.to_owned(), !entries.is_empty());
                let recorded = || Recorded { name, right, parts, has_entries, base: base.clone(), is_repair };
                self.all.entry(shape).or_insert_with(recorded);
                base = after.unwrap_or(base);
            }
            done
        }
    }

    async fn request(&mut self, request: &'static Request, stack: &Embedded) {
        let mut actor = Actor::ready(request, stack).await;
        let answer = self.record(stack, (request.name, Right::of(request)), actor.send()).await;
        assert!(actor.is_success(&answer), "{}: {answer:?}", request.name);
    }
}

/// Every write, once.
pub(super) async fn all() -> Vec<Recorded> {
    let mut recorder = Recorder { all: BTreeMap::new(), engine: Engine::new() };
    for request in requests().filter(|request| !request.needs_full_cost) {
        recorder.request(request, &request.start().await).await;
    }
    for request in requests().filter(|request| request.settings.is_empty() && !request.needs_full_cost) {
        recorder.request(request, &Embedded::start(&FULL).await).await;
    }
    listening::record(&mut recorder).await;
    operating::record(&mut recorder).await;
    repairing::record(&mut recorder).await;
    importing::record(&mut recorder).await;
    recorder.all.into_values().collect()
}
