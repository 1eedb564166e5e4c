//! The Lambda function that erases the movements of a deleted account. EventBridge sends it `AccountDeleted`, once or more often.

use finance_api::Movements;
use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use serde::Deserialize;

/// What it reads of an event; docs/events.schema.json has all of it.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Event {
    detail_type: String,
    detail: Detail,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Detail {
    account_id: u64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let movements = &Movements::from_environment().await;
    run(service_fn(async move |LambdaEvent { payload, .. }: LambdaEvent<Event>| {
        // The rule in template.yaml sends nothing else; `make dev` sends every event.
        if payload.detail_type == "AccountDeleted" {
            movements.erase(&payload.detail.account_id.to_string()).await?;
        }
        Ok::<(), Error>(())
    }))
    .await
}
