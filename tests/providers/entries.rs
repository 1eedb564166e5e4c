//! The stored entries.

use std::collections::BTreeSet;
use std::time::Duration;

use journeys::sentences::{INVALID_JSON, INVALID_PARAMETERS, assert_says};
use journeys::{Answer, Embedded, Failure, Item, paths};
use serde_json::{Value, json};

const SAVED: &str = "Data saved successfully";

/// The stored texts of a stack's entries, sorted by request, and within a request by index.
async fn stored(stack: &Embedded) -> Vec<String> {
    let mut items = stack.items("entries").await;
    let index = |item: &Item| item["index"].as_n().unwrap().parse::<u64>().unwrap();
    items.sort_by_key(|item| (item["request"].as_s().unwrap().clone(), index(item)));
    items.iter().map(|item| item["body"].as_s().unwrap().clone()).collect()
}

async fn send(stack: &Embedded, body: impl Into<String>) -> Answer {
    stack.service.visitor().json(paths::RECEIVE_DATA, body).await
}

async fn send_with_key(stack: &Embedded, key: &str, body: &str) -> Answer {
    let ana = stack.service.visitor();
    let request = ana.request(paths::RECEIVE_DATA).header("content-type", "application/json");
    ana.service.send(request.header("Idempotency-Key", key).body(body.to_owned())).await
}

/// A list of numbered objects.
fn numbered(count: usize) -> (Vec<String>, String) {
    let objects: Vec<String> = (0..count).map(|number| format!("{{\"n\":{number}}}")).collect();
    let list = format!("[{}]", objects.join(","));
    (objects, list)
}

/// An object of that many bytes.
fn sized(bytes: usize) -> String {
    format!("{{\"a\":\"{}\"}}", "x".repeat(bytes - 8))
}

#[tokio::test]
async fn an_entry_is_kept_byte_for_byte() {
    let objects = [
        r#"{"n":123456789012345678901234567890.123456789012345678901234567890}"#,
        r#"{"n":1e400,"m":-1E-400,"zero":-0,"one":1.0,"exp":1E+2}"#,
        r#"{"b":1,"a":2,"a":3,"":4,"":5}"#,
        r#"{"__proto__":{"admin":true},"constructor":1,"$serde_json::private::RawValue":"x"}"#,
        r#"{"$serde_json::private::Number":"1"}"#,
        r#"{"lone":"\ud800","low":"\uDC00","pair":"\ud83d\ude00","nul":"\u0000"}"#,
        r#"{"escaped":"\u00f1\/\b","raw":"ñ😀"}"#,
        "{ \"spaces\"\t:\r\n [ 1 ,2 ] }",
        "{\"separators\":\"\u{2028}\u{2029}\u{7f}\u{feff}\"}",
        r#"{"z":[[],{},[{"y":[null,true,false]}]]}"#,
        "{}",
    ];
    let stack = Embedded::start(&[]).await;
    assert_eq!(send(&stack, "\r\n\t {\"a\" : {\"b\" : [1, null]}} \r\n\t ").await.success(), true);
    assert_eq!(stored(&stack).await, ["{\"a\" : {\"b\" : [1, null]}}"]);
    let stack = Embedded::start(&[]).await;
    assert_eq!(send(&stack, format!(" [ {} ] \n", objects.join(" ,\t"))).await.success(), true);
    assert_eq!(stored(&stack).await, objects);
}

#[tokio::test]
async fn every_object_of_a_list_is_stored_as_an_entry_in_order() {
    for count in [0, 1, 24, 25, 26, 51, 1_000] {
        let stack = Embedded::start(&[]).await;
        let (objects, list) = numbered(count);
        assert_eq!(send(&stack, list).await.success(), true, "{count}");
        assert_eq!(stored(&stack).await, objects, "{count}");
        let items = stack.items("entries").await;
        let indexes: BTreeSet<u64> = items.iter().map(|item| item["index"].as_n().unwrap().parse().unwrap()).collect();
        assert!(indexes.into_iter().eq(0..u64::try_from(count).unwrap()), "{count}");
    }
}

#[tokio::test]
async fn deep_nesting_is_kept() {
    let stack = Embedded::start(&[]).await;
    let arrays = |depth| format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    let mut objects =
        vec![arrays(128), arrays(100_000), format!("{}1{}", "{\"a\":".repeat(10_000), "}".repeat(10_000))];
    for object in &objects {
        assert_eq!(send(&stack, object.as_str()).await.success(), true, "{} bytes", object.len());
    }
    let mut found = stored(&stack).await;
    found.sort();
    objects.sort();
    assert!(found == objects, "nested entries differ");

    let unclosed = send(&stack, format!("{{\"a\":{}", "[".repeat(1_000_000))).await;
    assert_eq!(unclosed.sentence(), (200, "Invalid JSON".to_owned()));
}

#[tokio::test]
async fn refused_entries_are_not_stored() {
    let stack = Embedded::start(&[]).await;
    let others = ["1", "\"text\"", "null", "[{},1]", "[{},null]", "[[{}]]", "[\"{}\"]"];
    let no_json =
        ["", "{", "{}{}", "[{},{}", "[{},]", "{a:1}", "{\"a\":NaN}", "{\"a\":\"\n\"}", "\u{feff}{}", "{}\0", "a=1"];
    let rows = others.map(|body| (body, INVALID_PARAMETERS)).into_iter();
    for (body, expected) in rows.chain(no_json.map(|body| (body, INVALID_JSON))) {
        assert_says(&send(&stack, body).await, expected, body);
    }
    assert!(stored(&stack).await.is_empty());
    assert!(stack.table.calls().is_empty(), "the table was called");
}

#[tokio::test]
async fn an_entry_is_stored_up_to_the_size_of_an_item_and_a_larger_one_refuses_the_whole_request() {
    let stack = Embedded::start(&[]).await;
    for body in [
        sized(shared::store::ENTRY_BYTES_MAX + 1),
        sized(2 * 1024 * 1024),
        format!("[{{}},{},{{}}]", sized(401 * 1024)),
    ] {
        let answer = send(&stack, body).await;
        assert_eq!(answer.sentence(), (413, "Entry too large".to_owned()));
        assert_eq!(answer.success(), false);
    }
    assert!(stored(&stack).await.is_empty());
    let largest = sized(shared::store::ENTRY_BYTES_MAX);
    assert_eq!(send(&stack, largest.as_str()).await.success(), true);
    assert!(stored(&stack).await == [largest], "the largest entry differs");
}

#[tokio::test]
async fn a_list_that_exceeds_the_limit_of_one_call_to_the_table_is_stored() {
    // The entries have 3.99 MB together. A transaction gets at most 3.9 MB of entries, so this takes two.
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let object = sized(390 * 1024);
    drop(stack.table.calls());
    let answer = ana.json(paths::RECEIVE_DATA, format!("[{}]", [object.as_str(); 10].join(","))).await;
    assert_eq!(answer.sentence(), (200, SAVED.to_owned()));
    assert_eq!(stack.table.calls().iter().filter(|call| *call == "TransactWriteItems").count(), 2);
    let found = stored(&stack).await;
    assert!(found.len() == 10 && found.iter().all(|found| *found == object), "entries differ");
}

#[tokio::test]
async fn a_retry_that_completes_a_request_keeps_its_received_at() {
    let stack = Embedded::start(&[]).await;
    let (objects, list) = numbered(60);
    let refusal = json!({"__type": "com.amazonaws.dynamodb.v20120810#ValidationException", "message": "no"});
    stack.table.fail_call(1, Failure::Answer(400, refusal.to_string()));
    let at = stack.now().milliseconds();
    let failed = send_with_key(&stack, "clave", &list).await;
    assert_eq!(failed.sentence(), (500, "Error interno del servidor".to_owned()));
    assert!(!failed.text.contains("ValidationException"));
    stack.advance(Duration::from_mins(5));
    assert_eq!(send_with_key(&stack, "clave", &list).await.success(), true);
    assert_eq!(stored(&stack).await, objects);
    let times: BTreeSet<u64> =
        stack.items("entries").await.iter().map(|item| item["received_at"].as_n().unwrap().parse().unwrap()).collect();
    assert_eq!(times.len(), 1, "{times:?}");
    assert!(times.first().unwrap() - at < 60_000, "the first time");
}

/// The answer to a request that is sent while the table fails. The table recovers after five failed calls, more than
/// the three attempts of the SDK.
async fn outlasting(stack: &Embedded, request: impl Future<Output = Answer>) -> Answer {
    let heal = async {
        while stack.table.failed() < 5 {
            tokio::task::yield_now().await;
        }
        stack.table.heal();
        std::future::pending().await
    };
    tokio::select! { answer = request => answer, never = heal => never }
}

#[tokio::test]
async fn throttled_entries_are_retried_whatever_the_table_calls_the_throttling() {
    let (objects, list) = numbered(2);
    for code in ["ThrottlingException", "ProvisionedThroughputExceededException", "RequestLimitExceeded"] {
        let body = json!({"__type": format!("com.amazonaws.dynamodb.v20120810#{code}"), "message": "later"});
        let throttled = Failure::Answer(400, body.to_string());
        let (batch, first) = (Embedded::start(&[]).await, Embedded::start(&[]).await);
        batch.table.fail_always(throttled.clone());
        first.table.fail_always(throttled);
        let batched = outlasting(&batch, send(&batch, &*list)).await;
        let keyed = outlasting(&first, send_with_key(&first, "clave", &list)).await;
        for (answer, stack) in [(batched, &batch), (keyed, &first)] {
            assert_eq!(answer.success(), true, "{code}: {answer:?}");
            assert_eq!(stored(stack).await, objects, "{code}");
        }
    }
}

#[tokio::test]
async fn entries_that_are_throttled_for_too_long_are_answered_500() {
    let stack = Embedded::start(&[]).await;
    stack.table.fail_from(2, Failure::Throttle);
    let answer = tokio::time::timeout(Duration::from_secs(8), send(&stack, numbered(100).1)).await.unwrap();
    assert_eq!((answer.status, stored(&stack).await.len()), (500, 50), "two batches of 25 are stored");
}

#[tokio::test]
async fn eight_parallel_calls_to_the_table_are_made_and_no_more() {
    let stack = Embedded::start(&[]).await;
    stack.table.fail_always(Failure::Silence);
    let calls = async {
        while stack.table.failed() < 8 {
            tokio::task::yield_now().await;
        }
        // Shorter than the deadline of a call, after which it is repeated.
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    tokio::select! { answer = send(&stack, numbered(1_000).1) => panic!("{answer:?}"), () = calls => {} }
    assert_eq!(stack.table.calls(), ["BatchWriteItem"; 8]);
}

#[tokio::test]
async fn another_body_or_another_key_is_another_request() {
    let stack = Embedded::start(&[]).await;
    for (key, body) in [("a", r#"{"n":1}"#), ("a", r#"{"n":2}"#), ("b", r#"{"n":1}"#), ("a", r#"[{"n":1}]"#)] {
        assert_eq!(send_with_key(&stack, key, body).await.success(), true, "{key} {body}");
    }
    for _ in 0..2 {
        assert_eq!(send(&stack, "{}").await.success(), true, "without a key every request is stored");
    }
    let mut found = stored(&stack).await;
    found.sort();
    assert_eq!(found, [r#"{"n":1}"#, r#"{"n":1}"#, r#"{"n":1}"#, r#"{"n":2}"#, "{}", "{}"]);
}

#[tokio::test]
async fn a_lost_answer_of_the_table_creates_no_duplicates() {
    let (objects, list) = numbered(60);
    for call in 0..3 {
        for failure in [Failure::DropAfter, Failure::DropBefore, Failure::Throttle, Failure::Error] {
            let stack = Embedded::start(&[]).await;
            stack.table.fail_call(call, failure.clone());
            assert_eq!(send(&stack, list.as_str()).await.sentence(), (200, SAVED.to_owned()), "{call} {failure:?}");
            assert_eq!(stored(&stack).await, objects, "{call} {failure:?}");
        }
    }
}

/// DynamoDB's answer that it has left these items unprocessed.
fn unprocessed(items: &[Item]) -> Failure {
    let requests = items.iter().map(|item| {
        let attributes = item.iter().map(|(name, value)| {
            let value = value.as_s().map_or_else(|n| json!({"N": n.as_n().unwrap()}), |s| json!({"S": s}));
            (name.clone(), value)
        });
        json!({"PutRequest": {"Item": attributes.collect::<serde_json::Map<_, _>>()}})
    });
    Failure::Answer(200, json!({"UnprocessedItems": {"entries": requests.collect::<Vec<Value>>()}}).to_string())
}

#[tokio::test]
async fn unprocessed_entries_are_sent_again_until_they_are_stored() {
    // The idempotency key and the body determine the keys of the items, so all stacks store items with the same keys.
    let model = Embedded::start(&[]).await;
    let (objects, list) = numbered(20);
    assert_eq!(send_with_key(&model, "clave", &list).await.success(), true);
    let all = model.items("entries").await;
    let some: Vec<Item> =
        all.iter().filter(|item| ["1", "2"].contains(&item["index"].as_n().unwrap().as_str())).cloned().collect();
    // The table stores nothing of the first batch. So only what is sent again is stored: the listed entries or, if the
    // list names an entry that was not sent, the whole batch.
    for (listed, expected) in [(&some, &objects[..3]), (&all, &objects[..])] {
        let stack = Embedded::start(&[]).await;
        stack.table.fail_call(1, unprocessed(listed));
        assert_eq!(send_with_key(&stack, "clave", &list).await.sentence(), (200, SAVED.to_owned()));
        assert_eq!(stored(&stack).await, expected);
        assert_eq!(stack.table.calls(), ["PutItem", "BatchWriteItem", "BatchWriteItem"]);
    }
}
