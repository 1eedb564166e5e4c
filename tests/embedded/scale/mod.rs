//! `docs/scale.md` and its chart: every number of them is counted, measured or read here, and no other number stands in
//! them. `make scale` writes them; `docs/scale.yaml` has the prices, limits and times that they are counted with.

mod chart;
mod figures;
mod items;
mod limits;
mod money;
mod page;
mod requests;
mod tables;
mod units;

use std::collections::BTreeSet;
use std::fs;

use aws_sdk_dynamodb::types::AttributeValue;
use journeys::{Embedded, Item, paths};
use serde_json::json;
use tokio::sync::OnceCell;

use self::figures::{Figures, float, place};
use self::page::Page;

const DOCUMENT: &str = "docs/scale.md";
const CHART: &str = "docs/scale.svg";
/// What a line or an answer must have at the least of the bytes that are reckoned for it.
const NEAR: f64 = 0.7;
/// Bytes that the gateway adds to an answer: status, date, length, its request's id.
const GATEWAY_ADDS: usize = 150;

/// Counted once for all claims.
async fn page() -> &'static Page {
    static PAGE: OnceCell<Page> = OnceCell::const_new();
    let count = async || {
        let stack = Embedded::start(&[]).await;
        let requests = requests::all(&stack).await;
        let items = items::all(&stack).await;
        Page { figures: Figures::of_this_project(), requests, items }
    };
    PAGE.get_or_init(count).await
}

fn read(path: &str) -> String {
    fs::read_to_string(place(path)).unwrap_or_default()
}

#[tokio::test]
async fn every_number_of_the_page_and_its_chart_is_what_comes_out_now() {
    let page = page().await;
    let (kept, chart) = (read(DOCUMENT), page.chart());
    let counted = page::filled(&kept, &page.parts());
    if std::env::var("SCALE").is_ok_and(|value| value == "write") {
        fs::write(place(DOCUMENT), counted).unwrap();
        return fs::write(place(CHART), chart).unwrap();
    }
    for (kept, counted) in kept.lines().zip(counted.lines()) {
        assert_eq!(kept, counted, "{DOCUMENT} (left) is not what comes out (right); if that is right, run make scale");
    }
    assert_eq!(kept.len(), counted.len(), "{DOCUMENT}: run make scale");
    assert!(read(CHART) == chart, "{CHART} is not what comes out; run make scale");
}

#[tokio::test]
async fn every_endpoint_is_on_the_page_and_every_line_and_answer_within_what_is_reckoned_for_it() {
    let Page { figures, requests, .. } = page().await;
    let paths: BTreeSet<&str> = requests.iter().map(|request| request.path).collect();
    assert_eq!(paths, paths::ALL.iter().copied().collect());
    let within = |name: &str, all: Vec<usize>| {
        let most = float(all.into_iter().max().unwrap());
        let reckoned = figures.number(&format!("bytes.{name}"));
        assert!((NEAR * reckoned..=reckoned).contains(&most), "{name}: {most} bytes, {reckoned} are reckoned");
    };
    let lines = |refused: bool| {
        let of = requests.iter().filter(|request| request.refused == refused);
        of.map(|request| request.call_line).collect::<Vec<usize>>()
    };
    within("call_line", lines(false));
    within("refused_line", lines(true));
    within("audit_line", requests.iter().flat_map(|request| request.audit_lines.clone()).collect());
    within("access_line", requests.iter().map(|request| figures.access_line(request.path).len()).collect());
    within("answer", requests.iter().map(|request| request.answer + GATEWAY_ADDS).collect());
}

#[tokio::test]
async fn no_key_that_people_meet_at_is_full_before_the_gateways_throttle_turns_them_away() {
    let Page { figures, requests, items } = page().await;
    let rate = figures.parameter("RequestsPerSecond");
    // With the largest limit the failures of one address are a large item: the page says so.
    for key in limits::keys(requests, items, figures).iter().filter(|key| !key.what.ends_with("1000")) {
        assert!(rate < key.at(), "{}: full at {} requests a second", key.what, key.at());
    }
}

#[test]
fn no_number_stands_outside_of_what_is_written_by_make_scale() {
    let prose = page::prose(&read(DOCUMENT));
    let found: Vec<&str> = prose.lines().filter(|line| line.contains(|c: char| c.is_ascii_digit())).collect();
    assert!(found.is_empty(), "a number that nothing holds to anything: {found:#?}");
}

#[test]
fn units_are_counted_as_dynamodb_documents_them() {
    let text = |bytes: usize| AttributeValue::S("x".repeat(bytes));
    let item = |value: AttributeValue| Item::from([("a".to_owned(), value)]);
    let list = AttributeValue::L(vec![AttributeValue::N("12345".to_owned()), AttributeValue::Bool(true)]);
    for (value, bytes) in [
        (text(0), 1),
        (text(20), 21),
        (AttributeValue::S("ñ".to_owned()), 3),
        (AttributeValue::N("1".to_owned()), 3),
        (AttributeValue::N("1795240800000".to_owned()), 9),
        (list, 1 + 3 + (1 + 4) + (1 + 1)),
    ] {
        assert_eq!(units::bytes(&item(value.clone())), bytes, "{value:?}");
    }
    // The page's own examples: 3.5 KB are read as 4, 10 KB as 12; 1.5 and 6.5 KB in one batch as 4 and 8.
    assert_eq!([0, 3584, 4096, 10_240].map(units::read_units), [1, 1, 1, 3]);
    assert_eq!([0, 1, 1024, 1025].map(units::write_units), [1, 1, 1, 2]);
    let key = |sk: &str| json!({"pk": {"S": "k"}, "sk": {"S": sk}});
    let sizes = [(("k".to_owned(), "1".to_owned()), 1536), (("k".to_owned(), "2".to_owned()), 6656)].into();
    let uses = |operation, asked| {
        let call = units::call(operation, &asked, &sizes, &units::Sizes::new());
        (call.uses.iter().map(|used| used.reads).sum(), call.uses.iter().map(|used| used.writes).sum())
    };
    let both = json!({"accounts": {"Keys": [key("1"), key("2")], "ConsistentRead": true}});
    assert_eq!(uses("BatchGetItem", json!({"RequestItems": both})), (3.0, 0.0));
    let query = json!({"ConsistentRead": true, "ExpressionAttributeValues": {":pk": {"S": "k"}}});
    assert_eq!(uses("Query", query.clone()), (2.0, 0.0));
    let (mut limited, mut later) = (query.clone(), query);
    limited["Limit"] = json!(1);
    assert_eq!(uses("Query", limited), (1.0, 0.0));
    later["ExpressionAttributeValues"][":sk"] = json!({"S": "3"});
    assert_eq!(uses("Query", later), (1.0, 0.0));
    assert_eq!(uses("DeleteItem", json!({"Key": key("1")})), (0.0, 2.0));
    let both = json!([{"Delete": {"Key": key("1")}}, {"Put": {"Item": key("3")}}]);
    assert_eq!(uses("TransactWriteItems", json!({"TransactItems": both})), (0.0, 6.0));
}

#[test]
fn a_rebate_counts_from_its_step_on() {
    let figures = Figures::of_this_project();
    let (first, step) = figures.tiers("gateway")[0];
    let (second, _) = figures.tiers("gateway")[1];
    assert_eq!(figures.month("gateway", step).to_bits(), (first * step).to_bits());
    assert!((figures.month("gateway", step + 10.0) - (first * step + second * 10.0)).abs() < 1e-9);
}
