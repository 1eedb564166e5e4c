//! The audit lines of the operator's changes, on the local stack and on a stack of AWS.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use journeys::{Embedded, Failure, Folder, Visitor, serve};
use serde_json::{Value, json};
use shared::system::clock::{Clock, SystemClock};

use crate::Ended;
use crate::support::{accounts, accounts_with, text};

/// The operator, as STS names them.
const OPERATOR: &str = "arn:aws:sts::123456789012:assumed-role/Support/maria";

/// Stands in for CloudFormation, STS and `CloudWatch` Logs. At first its log groups have no streams.
#[derive(Default)]
pub(crate) struct Aws {
    streams: Mutex<Vec<String>>,
    /// Stream and message.
    written: Mutex<Vec<(String, String)>>,
    /// The calls that read the log: filters, queries, and reads of a query's result.
    pub(crate) reads: Mutex<Vec<Value>>,
    /// The lines of the log, if they are not those of `answer`.
    pub(crate) log: Mutex<Vec<Value>>,
    /// The number of the first write of lines that fails, as do all after it; 0 means that none fails.
    pub(crate) first_failing_write: AtomicUsize,
    writes: AtomicUsize,
}

impl Aws {
    fn answer(&self, target: &str, body: &str) -> (StatusCode, String) {
        let asked: Value = serde_json::from_str(body).unwrap_or_default();
        let stream = text(&asked, "logStreamName");
        let failure = |code: &str| (StatusCode::BAD_REQUEST, json!({"__type": code, "message": "no"}).to_string());
        match target.rsplit('.').next().unwrap() {
            "CreateLogStream" => {
                self.streams.lock().unwrap().push(stream);
                (StatusCode::OK, "{}".to_owned())
            }
            "PutLogEvents" if !self.streams.lock().unwrap().contains(&stream) => failure("ResourceNotFoundException"),
            "PutLogEvents" => {
                let first = self.first_failing_write.load(Ordering::SeqCst);
                if first > 0 && self.writes.fetch_add(1, Ordering::SeqCst) >= first - 1 {
                    return failure("AccessDeniedException");
                }
                let messages = asked["logEvents"].as_array().unwrap().iter().map(|event| text(event, "message"));
                self.written.lock().unwrap().extend(messages.map(|message| (stream.clone(), message)));
                (StatusCode::OK, "{}".to_owned())
            }
            "FilterLogEvents" => {
                let log = self.log.lock().unwrap();
                if !log.is_empty() {
                    let now = SystemClock.now().milliseconds();
                    let events = log.iter().map(
                        |line| json!({"timestamp": now, "message": line.to_string(), "logStreamName": line["stream"]}),
                    );
                    self.reads.lock().unwrap().push(asked);
                    return (StatusCode::OK, json!({"events": events.collect::<Vec<_>>()}).to_string());
                }
                let second = asked["nextToken"] == "second";
                self.reads.lock().unwrap().push(asked);
                let line = |time: u64, event: &str, id: u64| {
                    let line = json!({
                        "timestamp": format!("2026-01-01T00:00:0{time}Z"), "level": "INFO", "function": "login",
                        "request.id": "r", "audit.event": event, "account.id": id,
                    });
                    json!({"timestamp": time * 1000, "message": line.to_string()})
                };
                let page = if second {
                    json!({"events": [line(1, "account-registered", 1), line(3, "logged-out", 2), {"message": "text"}]})
                } else {
                    json!({"events": [line(2, "login-succeeded", 1)], "nextToken": "second"})
                };
                (StatusCode::OK, page.to_string())
            }
            "StartQuery" if text(&asked, "queryString").starts_with("stats (") => failure("MalformedQueryException"),
            "StartQuery" => {
                self.reads.lock().unwrap().push(asked);
                (StatusCode::OK, json!({"queryId": "q"}).to_string())
            }
            "GetQueryResults" => {
                let asked = self.reads.lock().unwrap().iter().filter(|call| call["queryId"] == "q").count();
                self.reads.lock().unwrap().push(json!({"queryId": "q"}));
                let field = |name: &str, value: &str| json!({"field": name, "value": value});
                let rows = json!([
                    [field("function", "login"), field("calls", "12"), field("@ptr", "x")],
                    [field("calls", "3"), field("@ptr", "y")],
                ]);
                let status = if asked == 0 { "Running" } else { "Complete" };
                (StatusCode::OK, json!({"status": status, "results": rows}).to_string())
            }
            _ => (StatusCode::OK, query_answer(body)),
        }
    }

    pub(crate) fn lines(&self) -> Vec<Value> {
        let written = self.written.lock().unwrap();
        written.iter().map(|(_, message)| serde_json::from_str(message).unwrap()).collect()
    }
}

/// The answers of the services that speak XML.
fn query_answer(body: &str) -> String {
    let action = body.split('&').find_map(|pair| pair.strip_prefix("Action=")).unwrap().to_owned();
    let output = |name: &str, value: &str| {
        format!("<member><OutputKey>{name}</OutputKey><OutputValue>{value}</OutputValue></member>")
    };
    let result = match action.as_str() {
        "DescribeStacks" => format!(
            "<Stacks><member><StackName>shop</StackName><Outputs>{}{}{}</Outputs><Parameters><member>\
             <ParameterKey>FrontEndUrl</ParameterKey><ParameterValue>https://shop.example</ParameterValue>\
             </member></Parameters></member></Stacks>",
            output("AccountsTableName", "accounts"),
            output("EntriesTableName", "entries"),
            output("Version", env!("CARGO_PKG_VERSION"))
        ),
        "DescribeStackResource" => {
            let gateway = body.contains("LogicalResourceId=AccessLogs");
            let name = if gateway { "/aws/vendedlogs/apigateway/shop" } else { "/aws/lambda/shop" };
            format!("<StackResourceDetail><PhysicalResourceId>{name}</PhysicalResourceId></StackResourceDetail>")
        }
        "GetCallerIdentity" => format!("<Arn>{OPERATOR}</Arn><Account>123456789012</Account>"),
        other => panic!("{other} is not expected"),
    };
    format!("<{action}Response><{action}Result>{result}</{action}Result></{action}Response>")
}

pub(crate) async fn start() -> (Embedded, Visitor, Arc<Aws>, String) {
    let stack = Embedded::start(&[]).await;
    let ana = stack.service.visitor().signed_in().await;
    let aws = Arc::new(Aws::default());
    let answer = async |State(aws): State<Arc<Aws>>, headers: HeaderMap, body: String| {
        let target = headers.get("x-amz-target").and_then(|value| value.to_str().ok()).unwrap_or_default();
        aws.answer(target, &body).into_response()
    };
    let url = serve(Router::new().fallback(answer).with_state(aws.clone())).await;
    (stack, ana, aws, url)
}

/// Runs the program for the stack in the stand-in's account.
pub(crate) async fn for_stack(stack: &Embedded, url: &str, arguments: &[&str]) -> Ended {
    let tables = stack.table.url();
    let variables = [
        ("AWS_ACCESS_KEY_ID", "test"),
        ("AWS_SECRET_ACCESS_KEY", "test"),
        ("AWS_REGION", "eu-west-1"),
        ("AWS_ENDPOINT_URL", url),
        ("AWS_ENDPOINT_URL_DYNAMODB", &tables),
    ];
    accounts_with(stack, &variables, &[&["--stack", "shop"], arguments].concat()).await
}

fn assert_trail(lines: &[Value], event: &str, stages: &[&str], operator: &str) {
    assert_eq!(lines.iter().map(|line| text(line, "audit.stage")).collect::<Vec<_>>(), stages, "{lines:?}");
    for line in lines {
        let names: Vec<_> = line.as_object().unwrap().keys().collect();
        let expected = [
            "timestamp",
            "level",
            "function",
            "request.id",
            "audit.event",
            "audit.stage",
            "account.id",
            "operator",
            "reason",
        ];
        assert_eq!(names, expected);
        let values = ["level", "function", "audit.event", "operator", "reason"].map(|name| text(line, name));
        assert_eq!(values, ["INFO", "accounts", event, operator, "asked by the owner"]);
        assert_eq!((line["account.id"].as_u64(), &line["request.id"]), (Some(1), &lines[0]["request.id"]));
        assert!(text(line, "timestamp").starts_with("20"), "{line}");
    }
}

#[tokio::test]
async fn a_change_of_the_local_stack_is_recorded_in_its_data_folder() {
    let (stack, ana, ..) = start().await;
    let folder = Folder::new("operator");
    let folder_name = folder.0.to_str().unwrap();
    let variables = [("LOCAL_DATA", folder_name)];
    let command = ["--local", "disable", &ana.email, "--reason", "asked by the owner"];
    let run = accounts_with(&stack, &variables, &command).await;
    assert_eq!(run.code, 0, "{run:?}");
    let written = fs::read_to_string(folder.0.join("operator.ndjson")).unwrap();
    let lines: Vec<Value> = written.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_trail(&lines, "account-disabled", &["intended", "done"], "local");
    let audit = accounts_with(&stack, &variables, &["--local", "--json", "audit", &ana.email]).await;
    assert_eq!(audit.lines().len(), 2, "{audit:?}");
    assert!(audit.err.contains("standard output of make dev"), "{audit:?}");
}

#[tokio::test]
async fn a_change_is_not_made_if_its_audit_line_cannot_be_written() {
    let (stack, ana, ..) = start().await;
    let folder = Folder::new("no-folder");
    fs::write(&folder.0, "a file").unwrap();
    let variables = [("LOCAL_DATA", folder.0.to_str().unwrap())];
    let command = ["--local", "erase", &ana.email, "--yes", "--reason", "asked by the owner"];
    let run = accounts_with(&stack, &variables, &command).await;
    fs::remove_file(&folder.0).unwrap();
    assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
    assert!(run.err.contains("nothing was changed"), "{run:?}");
    assert_eq!(ana.clone().session().await.status, 200);
}

#[tokio::test]
async fn a_change_of_a_stack_is_recorded_in_its_log_group_with_the_operators_identity() {
    let (stack, ana, aws, url) = start().await;
    let run = for_stack(&stack, &url, &["disable", &ana.email, "--reason", "asked by the owner"]).await;
    assert_eq!(run.code, 0, "{run:?}");
    assert_trail(&aws.lines(), "account-disabled", &["intended", "done"], OPERATOR);
    let (streams, written) = (aws.streams.lock().unwrap().clone(), aws.written.lock().unwrap().clone());
    let [stream] = streams.as_slice() else { panic!("{streams:?}") };
    assert!(stream.starts_with("operator/20") && stream.len() == "operator/2026-01-01".len(), "{stream}");
    assert!(written.iter().all(|(of, _)| of == stream), "{written:?}");
    assert_eq!(ana.clone().session().await.status, 401);
}

#[tokio::test]
async fn a_stack_whose_log_group_refuses_lines_is_not_changed() {
    let (stack, ana, aws, url) = start().await;
    aws.first_failing_write.store(1, Ordering::SeqCst);
    let run = for_stack(&stack, &url, &["disable", &ana.email, "--reason", "asked by the owner"]).await;
    assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
    assert!(run.err.contains("nothing was changed"), "{run:?}");
    assert_eq!(ana.clone().session().await.status, 200);
}

#[tokio::test]
async fn a_change_whose_outcome_cannot_be_recorded_fails_and_says_so() {
    let (stack, ana, aws, url) = start().await;
    aws.first_failing_write.store(2, Ordering::SeqCst);
    let run = for_stack(&stack, &url, &["disable", &ana.email, "--reason", "asked by the owner"]).await;
    assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
    assert!(run.err.contains("the audit line of the outcome cannot be written"), "{run:?}");
    assert!(run.err.contains("1 of 1 changes were made"), "{run:?}");
    assert_trail(&aws.lines(), "account-disabled", &["intended"], OPERATOR);
    assert_eq!(ana.clone().session().await.status, 401);
}

#[tokio::test]
async fn a_change_that_the_table_does_not_confirm_is_recorded_as_failed() {
    let (stack, ana, ..) = start().await;
    let broken = Failure::Answer(400, json!({"__type": "x#ValidationException"}).to_string());
    stack.table.fail_call_of("UpdateItem", 0, broken, true);
    let run = accounts(&stack, &["disable", &ana.email, "--reason", "asked by the owner"]).await;
    stack.table.heal();
    assert_eq!((run.code, run.out.as_str()), (1, ""), "{run:?}");
    assert_eq!(run.trail(), ["account-disabled intended", "account-disabled failed"]);
    assert_eq!(ana.clone().session().await.status, 200);
}

#[tokio::test]
async fn the_security_events_of_an_account_are_read_from_all_pages_of_the_log_group() {
    let (stack, ana, aws, url) = start().await;
    let run = for_stack(&stack, &url, &["--json", "audit", &ana.email, "--since", "7d"]).await;
    assert_eq!(run.code, 0, "{run:?}");
    let events: Vec<_> = run.lines().iter().map(|line| text(line, "audit.event")).collect();
    assert_eq!(events, ["account-registered", "login-succeeded"]);
    let reads = aws.reads.lock().unwrap().clone();
    assert_eq!(reads.len(), 2);
    assert_eq!(reads[0]["logGroupName"], "/aws/lambda/shop");
    assert_eq!(reads[0]["filterPattern"], "{ ($.['account.id'] = 1) && ($.['audit.event'] = \"*\") }");
}

#[tokio::test]
async fn a_query_of_the_log_is_awaited_and_its_rows_have_all_columns() {
    let (stack, _, aws, url) = start().await;
    let query = "filter level = 'ERROR' | stats count(*) as calls by function";
    let run = for_stack(&stack, &url, &["log", query, "--since", "2h"]).await;
    assert_eq!((run.code, run.out.as_str()), (0, "function  calls\nlogin     12\n-         3\n"), "{run:?}");
    let asked = aws.reads.lock().unwrap()[0].clone();
    assert_eq!((&asked["logGroupName"], &asked["queryString"]), (&json!("/aws/lambda/shop"), &json!(query)));
    let time = |name: &str| asked[name].as_i64().unwrap();
    assert_eq!(time("endTime") - time("startTime"), 2 * 60 * 60);

    let run = for_stack(&stack, &url, &["--json", "log", "fields client.address", "--gateway"]).await;
    assert_eq!(run.lines()[1], json!({"function": null, "calls": "3"}), "{run:?}");
    let calls = aws.reads.lock().unwrap().clone();
    assert!(calls.iter().any(|call| call["logGroupName"] == "/aws/vendedlogs/apigateway/shop"), "{calls:?}");
}

#[tokio::test]
async fn a_query_that_is_not_valid_and_a_stack_without_a_log_are_wrong_usage() {
    let (stack, _, _, url) = start().await;
    let run = for_stack(&stack, &url, &["log", "stats ("]).await;
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.err.contains("the query is not valid"), "{run:?}");
    let run = accounts(&stack, &["log", "fields @message"]).await;
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.err.contains("standard output of make dev"), "{run:?}");
}
