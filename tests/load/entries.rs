//! The largest request that is documented to succeed. It is in this target, whose
//! other tests are short, because the request takes several of the ten seconds that the function may take.

use std::sync::Arc;

use aws_sdk_dynamodb::types::Select;
use journeys::{Folder, Nowhere, Service, dynamodb, paths};
use local::{Options, Stack};

/// The number of entries.
const ENTRIES: usize = 20_000;

/// Sends these entries in one request, without a proxy in front of the tables, and counts the stored ones.
async fn store_entries(options: &Options) -> usize {
    let stack = Stack::start(options, &|_| ()).unwrap();
    let visitor = Service::at(stack.base_url()).visitor();
    let document = format!("[{}]", vec![r#"{"importe":12.50,"concepto":"Supermercado"}"#; ENTRIES].join(","));
    let request = visitor.request(paths::RECEIVE_DATA).header("content-type", "application/json").body(document);
    let answer = visitor.service.send(request).await;
    assert_eq!(answer.sentence(), (200, "Data saved successfully".to_owned()));
    let counting = dynamodb(stack.dynamodb_url()).scan().table_name("entries").select(Select::Count);
    let mut pages = counting.into_paginator().send();
    let mut stored = 0;
    while let Some(page) = pages.next().await {
        stored += usize::try_from(page.unwrap().count()).unwrap();
    }
    stored
}

#[tokio::test]
async fn twenty_thousand_entries_of_one_request_are_stored_in_memory_and_on_disk() {
    assert_eq!(store_entries(&Options { log: Arc::new(Nowhere), ..Options::default() }).await, ENTRIES);
    assert_eq!(store_entries(&Folder::new("entries").options()).await, ENTRIES);
}
