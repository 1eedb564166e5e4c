//! A server that gives recorded answers of AWS's services, and the answer with Google's keys.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::header::DATE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::{Ended, run};

/// The queue of the changes that could not be handled, and the stream of the accounts table.
const QUEUE: &str = "https://sqs.eu-west-1.amazonaws.com/123456789012/accounts-DeadLetters-1A";
const STREAM: &str = "arn:aws:dynamodb:eu-west-1:123456789012:table/accounts-table/stream/2026-01-01T00:00:00.000";

/// The path of SES's identities.
const IDENTITIES: &str = "/v2/email/identities/";

/// The answers by the names of the calls, and the calls so far.
pub(crate) struct Recorded {
    url: String,
    script: Arc<Mutex<Script>>,
}

#[derive(Default)]
struct Script {
    answers: BTreeMap<&'static str, String>,
    calls: Vec<String>,
    /// The date of all answers, if it is not the time of this computer.
    date: Option<&'static str>,
}

impl Recorded {
    /// The answers of a deployment without problems.
    pub(crate) async fn sound() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let script = Arc::new(Mutex::new(Script { answers: sound(&url), ..Script::default() }));
        let router = Router::new().fallback(answer).with_state(Arc::clone(&script));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, script }
    }

    /// The same with an answer changed by replacing a part of it.
    pub(crate) async fn with(call: &'static str, part: &str, by: &str) -> Self {
        let recorded = Self::sound().await;
        recorded.change(call, part, by);
        recorded
    }

    /// Replaces a part of an answer.
    pub(crate) fn change(&self, call: &str, part: &str, by: &str) {
        let mut script = self.script.lock().unwrap();
        let answer = script.answers.get_mut(call).unwrap();
        assert!(answer.contains(part), "{call}: {answer}");
        *answer = answer.replace(part, by);
    }

    /// Moves the answer of a call to another call.
    pub(crate) fn rename(&self, call: &str, to: &'static str) {
        let mut script = self.script.lock().unwrap();
        let answer = script.answers.remove(call).unwrap();
        script.answers.insert(to, answer);
    }

    /// Records an answer to one more call: that of another call, with a part replaced.
    pub(crate) fn copy(&self, call: &str, to: &'static str, part: &str, by: &str) {
        let mut script = self.script.lock().unwrap();
        let answer = script.answers[call].replace(part, by);
        script.answers.insert(to, answer);
    }

    /// The answers of a deployment without problems, with another date than this computer's.
    pub(crate) async fn dated(date: &'static str) -> Self {
        let recorded = Self::sound().await;
        recorded.script.lock().unwrap().date = Some(date);
        recorded
    }

    /// The calls so far, such as `DescribeTable accounts-table`.
    pub(crate) fn calls(&self) -> Vec<String> {
        self.script.lock().unwrap().calls.clone()
    }

    /// Runs the doctor against the recorded deployment.
    pub(crate) async fn doctor(&self, arguments: &[&str]) -> Ended {
        let variables = vec![
            ("AWS_ENDPOINT_URL", self.url.clone()),
            ("AWS_ACCESS_KEY_ID", "recorded".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "recorded".to_owned()),
            ("AWS_REGION", "eu-west-1".to_owned()),
        ];
        run(variables, &[&["--stack", "accounts", "doctor"], arguments].concat()).await
    }
}

async fn answer(State(script): State<Arc<Mutex<Script>>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = String::from_utf8(to_bytes(body, 1 << 20).await.unwrap().to_vec()).unwrap();
    let call = match parts.headers.get("x-amz-target") {
        Some(target) => {
            let operation = target.to_str().unwrap().rsplit('.').next().unwrap().to_owned();
            let asked: Value = serde_json::from_str(&body).unwrap();
            let of = asked.get("TableName").or_else(|| asked.get("logGroupNamePrefix")).and_then(Value::as_str);
            format!("{operation} {}", of.unwrap_or_default())
        }
        None => match body.split('&').find_map(|field| field.strip_prefix("Action=")) {
            Some(action) => action.to_owned(),
            None => parts.uri.path().trim_end_matches('/').to_owned(),
        },
    };
    let mut script = script.lock().unwrap_or_else(PoisonError::into_inner);
    script.calls.push(call.clone());
    match script.answers.get(call.as_str()) {
        Some(answer) => {
            let mut response = answer.clone().into_response();
            response.headers_mut().extend(script.date.map(|date| (DATE, HeaderValue::from_static(date))));
            response
        }
        None if call.starts_with(IDENTITIES) => {
            (StatusCode::NOT_FOUND, [("x-amzn-errortype", "NotFoundException")], "{}").into_response()
        }
        None => (StatusCode::NOT_FOUND, format!("nothing is recorded for {call}")).into_response(),
    }
}

fn table(name: &str, index: &Value) -> String {
    let table = json!({
        "TableName": name, "TableStatus": "ACTIVE", "DeletionProtectionEnabled": true, "GlobalSecondaryIndexes": index,
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "ItemCount": 3,
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"}, "LatestStreamArn": STREAM,
    });
    json!({ "Table": table }).to_string()
}

/// The mappings of the stream: to the alias of the function, and to something else of the same account.
fn mappings() -> String {
    let function = |name: &str| format!("arn:aws:lambda:eu-west-1:123456789012:function:{name}");
    let template = include_str!("../../../../../template.yaml");
    let patterns = template.lines().filter_map(|line| line.split_once("{ Pattern: '")?.1.strip_suffix("' }"));
    let filters: Vec<_> = patterns.map(|pattern| json!({ "Pattern": pattern })).collect();
    let mapping = json!({
        "UUID": "8c1f", "State": "Enabled", "EventSourceArn": STREAM, "FunctionArn": function("accounts-notices:live"),
        "FilterCriteria": {"Filters": filters},
        "DestinationConfig": {"OnFailure": {"Destination": "arn:aws:sqs:eu-west-1:123456789012:accounts-DeadLetters-1A"}},
    });
    let other = json!({"UUID": "77", "State": "Disabled", "EventSourceArn": STREAM, "FunctionArn": function("other")});
    json!({ "EventSourceMappings": [other, mapping] }).to_string()
}

fn backups() -> String {
    let recovery = json!({"PointInTimeRecoveryStatus": "ENABLED", "RecoveryPeriodInDays": 35});
    let backups = json!({"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": recovery});
    json!({ "ContinuousBackupsDescription": backups }).to_string()
}

fn group(name: &str) -> String {
    json!({"logGroups": [{"logGroupName": name, "retentionInDays": 30, "storedBytes": 4}]}).to_string()
}

/// A member of a list in CloudFormation's XML.
fn member(kind: &str, name: &str, value: &str) -> String {
    format!("<member><{kind}Key>{name}</{kind}Key><{kind}Value>{value}</{kind}Value></member>")
}

fn sound(url: &str) -> BTreeMap<&'static str, String> {
    let topic = "arn:aws:sns:eu-west-1:123456789012:accounts-Watching-1ABC-Alarms-2DEF";
    let keys = format!("{url}/certs");
    let parameters =
        [("MailFrom", "no-reply@example.com"), ("GoogleKeysUrl", &keys), ("FrontEndUrl", "https://app.example.com")];
    let outputs = [
        ("AccountsTableName", "accounts-table"),
        ("EntriesTableName", "entries-table"),
        ("AlarmTopicArn", topic),
        ("DeadLettersUrl", QUEUE),
        ("Version", env!("CARGO_PKG_VERSION")),
    ];
    let parameters: String = parameters.iter().map(|(name, value)| member("Parameter", name, value)).collect();
    let outputs: String = outputs.iter().map(|(name, value)| member("Output", name, value)).collect();
    let stack = format!(
        "<DescribeStacksResponse xmlns=\"http://cloudformation.amazonaws.com/doc/2010-05-15/\"><DescribeStacksResult>\
         <Stacks><member><StackName>accounts</StackName><StackStatus>UPDATE_COMPLETE</StackStatus>\
         <CreationTime>2026-01-01T00:00:00Z</CreationTime><Parameters>{parameters}</Parameters>\
         <Outputs>{outputs}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>"
    );
    let caller = "<GetCallerIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><GetCallerIdentityResult>\
                  <Arn>arn:aws:iam::123456789012:role/operator</Arn><UserId>A</UserId><Account>123456789012</Account>\
                  </GetCallerIdentityResult></GetCallerIdentityResponse>";
    let subscriptions = format!(
        "<ListSubscriptionsByTopicResponse xmlns=\"http://sns.amazonaws.com/doc/2010-03-31/\">\
         <ListSubscriptionsByTopicResult><Subscriptions><member><TopicArn>{topic}</TopicArn><Protocol>email</Protocol>\
         <SubscriptionArn>{topic}:4f1c</SubscriptionArn><Owner>123456789012</Owner><Endpoint>alarms@example.com</Endpoint>\
         </member></Subscriptions></ListSubscriptionsByTopicResult></ListSubscriptionsByTopicResponse>"
    );
    let expiry = json!({"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires_at"}});
    let account = json!({
        "DedicatedIpAutoWarmupEnabled": false, "EnforcementStatus": "HEALTHY", "ProductionAccessEnabled": true,
        "SendQuota": {"Max24HourSend": 50000.0, "MaxSendRate": 14.0, "SentLast24Hours": 120.0}, "SendingEnabled": true,
    });
    let dkim = json!({"SigningEnabled": true, "Status": "SUCCESS", "Tokens": ["one", "two", "three"]});
    let identity = json!({"IdentityType": "DOMAIN", "VerifiedForSendingStatus": true, "DkimAttributes": dkim});
    let limits = json!({
        "AccountLimit": {"ConcurrentExecutions": 1000, "UnreservedConcurrentExecutions": 1000},
        "AccountUsage": {"FunctionCount": 11, "TotalCodeSize": 5},
    });
    let key = json!({"kty": "RSA", "kid": "1", "n": "AQAB", "e": "AQAB", "alg": "RS256", "use": "sig"});
    BTreeMap::from([
        ("GetCallerIdentity", caller.to_owned()),
        ("DescribeStacks", stack),
        ("ListSubscriptionsByTopic", subscriptions),
        (
            "DescribeTable accounts-table",
            table("accounts-table", &json!([{"IndexName": "profiles", "IndexStatus": "ACTIVE"}])),
        ),
        ("DescribeTable entries-table", table("entries-table", &json!([]))),
        ("DescribeTimeToLive accounts-table", expiry.to_string()),
        ("DescribeContinuousBackups accounts-table", backups()),
        ("DescribeContinuousBackups entries-table", backups()),
        ("DescribeLogGroups /aws/lambda/accounts", group("/aws/lambda/accounts")),
        ("DescribeLogGroups /aws/vendedlogs/apigateway/accounts", group("/aws/vendedlogs/apigateway/accounts")),
        ("/v2/email/account", account.to_string()),
        ("/v2/email/identities/example.com", identity.to_string()),
        ("/2016-08-19/account-settings", limits.to_string()),
        ("/2015-03-31/event-source-mappings", mappings()),
        ("GetQueueAttributes ", json!({"Attributes": {"ApproximateNumberOfMessages": "0"}}).to_string()),
        ("/certs", json!({ "keys": [key] }).to_string()),
    ])
}
