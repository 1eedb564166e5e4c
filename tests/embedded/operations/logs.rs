//! The content of log lines, and the data that must never be logged.
use journeys::requests::event;
use journeys::{ENDPOINTS, Embedded, Endpoint, Failure, Visitor, paths, proofs, rows};
use serde_json::{Value, json};

use crate::functions;

const NAME: &str = "Canario Apellido";
const SECRET: &str = "Canario-Secreto-1";
const OTHER: &str = "Canario-Nuevo-2";
const BODY: &str = "canario-en-el-cuerpo";

/// Registers, logs in, changes the settings, resets the password, and deletes the account, with calls that succeed and
/// calls that are refused. Returns the data that must not be logged.
async fn journey(ana: &mut Visitor) -> Vec<String> {
    let email = ana.email.clone();
    let mut canaries = vec![email.clone()];
    let registration =
        [("nombre", NAME), ("password", SECRET), ("confirm-password", SECRET), ("g-captcha-response", BODY)];
    ana.register_with(&registration).await;
    ana.register_with(&registration).await;
    ana.login(OTHER).await;
    ana.login(SECRET).await;
    canaries.extend(ana.cookie.clone());
    ana.session().await;
    let settings = [("name", NAME), ("password", OTHER), ("confirm_password", OTHER)];
    ana.form(paths::USER_CONFIG, &settings).await;
    canaries.extend(ana.cookie.clone());
    ana.ask_for_reset().await;
    let token = ana.mailed_tokens().await.into_iter().next();
    let token = token.unwrap_or_else(|| "none.secret-of-a-token".to_owned());
    ana.reset(&token, SECRET).await;
    ana.reset(&token, SECRET).await;
    let credential = ana.credential(json!({})).await;
    let document = json!({"credential": credential}).to_string();
    ana.json(paths::GOOGLE_LOGIN, document.clone()).await;
    ana.json(paths::GOOGLE_LOGIN, document.replace("\"}", "x\"}")).await;
    canaries.extend(ana.cookie.clone());
    ana.json(paths::GOOGLE_REDIRECT, document).await;
    ana.json(paths::RECEIVE_DATA, json!({ BODY: 1 }).to_string()).await;
    ana.json(paths::RECEIVE_DATA, format!("{{{BODY}")).await;
    canaries.extend(ana.cookie.clone());
    ana.form(paths::LOGOUT, &[]).await;
    ana.login(SECRET).await;
    ana.form(paths::DELETE_ACCOUNT, &[]).await;
    canaries.extend([token, credential]);
    let secrets: Vec<String> = canaries.iter().filter_map(|text| text.rsplit('.').next().map(str::to_owned)).collect();
    let owner = email.split('@').next().unwrap().to_owned();
    let secrets = secrets.into_iter().filter(|secret| secret != "com");
    canaries.into_iter().chain(secrets).chain([NAME, SECRET, OTHER, BODY].map(str::to_owned)).chain([owner]).collect()
}

/// Makes the call to this endpoint that succeeds, and returns the data that must not be logged.
async fn successful_call(stack: &Embedded, endpoint: &Endpoint) -> Vec<String> {
    let mut eva = stack.service.visitor();
    if endpoint.path != paths::REGISTER {
        eva = eva.signed_in().await;
    }
    let mut canaries: Vec<String> = eva.cookie.clone().into_iter().collect();
    let values = stack.values(endpoint.request(), &mut eva).await;
    let answer = endpoint.request().call(&values).by(&mut eva).await;
    assert!(answer.status < 400 && !answer.text.contains("\"success\":false"), "{}: {answer:?}", endpoint.name);
    canaries.extend(eva.cookie.clone());
    canaries.extend(values.personal());
    canaries
}

/// The lines of calls; those of security events are in `audit.rs`.
fn lines(stack: &Embedded) -> Vec<Value> {
    let lines = stack.log().into_iter().map(|line| serde_json::from_str(&line).unwrap());
    lines.filter(|line: &Value| line.get("audit.event").is_none()).collect()
}

fn assert_silent(stack: &Embedded, canaries: &[String]) {
    let log = stack.log().join("\n");
    for canary in canaries {
        assert!(!log.contains(canary), "{canary} in {log}");
    }
}

#[tokio::test]
async fn no_address_name_password_cookie_token_credential_or_body_is_ever_logged() {
    // `captcha` answers only with its settings.
    let stack = Embedded::start(&proofs::SETTINGS).await;
    let canaries = journey(&mut stack.service.visitor()).await;
    assert!(canaries.len() > 12);
    assert_silent(&stack, &canaries);
    for endpoint in ENDPOINTS {
        assert_silent(&stack, &successful_call(&stack, endpoint).await);
    }
}

#[tokio::test]
async fn no_personal_data_is_logged_when_a_dependency_fails() {
    let stack = Embedded::start(&[]).await;
    let hostile = |code: &str| {
        let text = format!("arn:aws:dynamodb:eu-west-1:1:table/accounts {NAME} {SECRET}");
        Failure::Answer(400, json!({"__type": format!("x#{code}"), "message": text}).to_string())
    };
    for failure in
        [Failure::Throttle, Failure::DropBefore, hostile("ValidationException"), hostile("AccessDeniedException")]
    {
        let mut ana = stack.service.visitor().signed_in().await;
        stack.table.fail_always(failure.clone());
        let canaries = journey(&mut ana).await;
        assert_silent(&stack, &canaries);
        stack.table.heal();
        stack.mail.fail_always(failure);
        let canaries = journey(&mut ana).await;
        assert_silent(&stack, &canaries);
        stack.mail.heal();
    }
    assert!(!stack.log().join("\n").contains("arn:"));
}

#[tokio::test]
async fn no_personal_data_is_logged_when_a_row_is_broken() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    let profile = rows::profile(&stack, &ana.email).await.unwrap();
    let text = aws_sdk_dynamodb::types::AttributeValue::S(format!("{NAME} {}", ana.email));
    for name in ["id", "generation", "password", "accept_news"] {
        rows::put(&stack, rows::with(&profile, name, Some(text.clone()))).await;
        assert_silent(&stack, &journey(&mut ana).await);
    }
}

#[tokio::test]
async fn each_call_is_one_line_with_its_function_status_and_duration() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    for &path in paths::ALL {
        stack.service.send(stack.service.request("GET", path)).await;
    }
    let user = ana.session().await.user("id");
    ana.login("Otra1234").await;
    let lines = lines(&stack);
    assert_eq!(lines.len(), 2 + paths::ALL.len() + 2);
    for line in &lines {
        assert!(line["timestamp"].as_str().unwrap().starts_with("20"), "{line}");
        assert!(line["function"].is_string() && line["http.status"].is_u64(), "{line}");
        assert!(line["duration_ms"].is_u64() && line["request.id"].is_string() && line["level"] == "INFO", "{line}");
        assert!(line.get("fault.cause").is_none(), "{line}");
        let of_lambda = ["function_request_id", "xray_trace_id"].map(|name| line.get(name));
        assert_eq!(of_lambda, [None, None], "without Lambda there is no invocation: {line}");
    }
    let last = |number: usize| &lines[lines.len() - number];
    let refused = lines.iter().filter(|line| line["problem.code"] == "method-not-allowed").count();
    assert_eq!(refused, paths::ALL.len());
    assert_eq!((&last(2)["function"], &last(2)["account.id"]), (&json!("session"), &user));
    assert!(last(2).get("problem.code").is_none());
    assert_eq!((&last(1)["problem.code"], &last(1)["http.status"]), (&json!("wrong-credentials"), &json!(200)));
}

#[tokio::test]
async fn an_event_that_cannot_be_read_is_logged_like_any_other_call() {
    let stack = Embedded::start(&[]).await;
    for function in functions::all(&stack, &[]) {
        assert_eq!(function.invoke("{}").await.0, 400);
    }
    let lines = lines(&stack);
    assert_eq!(lines.len(), paths::ALL.len());
    for line in lines {
        let logged = (&line["level"], &line["http.status"], &line["problem.code"]);
        assert_eq!(logged, (&json!("INFO"), &json!(400), &json!("invalid-parameters")), "{line}");
    }
}

#[tokio::test]
async fn a_failure_names_its_operation_and_cause() {
    let (stack, mut ana) = Embedded::signed_in(&[]).await;
    stack.table.fail_always(Failure::Throttle);
    assert_eq!(ana.session().await.status, 500);
    stack.table.heal();
    stack.mail.fail_always(Failure::DropBefore);
    assert_eq!(ana.ask_for_reset().await.status, 500);
    let lines = lines(&stack);
    for line in &lines[2..] {
        assert_eq!((&line["level"], &line["problem.code"]), (&json!("ERROR"), &json!("internal")), "{line}");
    }
    assert_eq!(lines[2]["fault.operation"], "table.BatchGetItem");
    assert_eq!(lines[2]["fault.cause"], "ThrottlingException");
    assert_eq!(lines[3]["fault.operation"], "mail.SendEmail");
    assert!(lines[3]["fault.cause"].as_str().is_some_and(|cause| !cause.is_empty()), "{}", lines[3]);
}

#[tokio::test]
async fn line_ends_and_terminal_codes_stay_inside_one_line() {
    let stack = Embedded::start(&[]).await;
    let hostile = "a\r\n{\"level\":\"forged\"}\u{1b}[31m\u{2028}\u{0}";
    let functions = functions::all(&stack, &[]);
    for function in &functions {
        let mut event = event(function.path, hostile, hostile);
        event["requestContext"]["requestId"] = json!(hostile);
        event["headers"]["user-agent"] = json!(hostile);
        event["headers"][hostile] = json!(hostile);
        event["cookies"] = json!([format!("session={hostile}")]);
        function.invoke(&event.to_string()).await;
        event["requestContext"]["http"]["method"] = json!(hostile);
        function.invoke(&event.to_string()).await;
    }
    let log = stack.log();
    assert_eq!(log.len(), 2 * functions.len());
    for line in log {
        assert!(line.chars().all(|c| !c.is_control()), "{line}");
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["request.id"], hostile);
    }
}

#[tokio::test]
async fn on_lambda_a_line_also_has_its_metrics_in_the_embedded_format() {
    let stack = Embedded::start(&[]).await;
    for function in functions::all(&stack, &[("AWS_LAMBDA_FUNCTION_NAME", "accounts-x")]) {
        let mut event = event(function.path, "", "");
        event["requestContext"]["http"]["method"] = json!("GET");
        function.invoke(&event.to_string()).await;
    }
    let lines = lines(&stack);
    assert_eq!(lines.len(), paths::ALL.len());
    for line in lines {
        let metadata = &line["_aws"];
        let now = stack.now().milliseconds();
        assert!(now - metadata["Timestamp"].as_u64().unwrap() < 60_000, "{line}");
        let mut logged = Vec::new();
        for directive in metadata["CloudWatchMetrics"].as_array().unwrap() {
            assert_eq!(directive["Namespace"], "Accounts");
            let dimensions = directive["Dimensions"][0].as_array().unwrap();
            assert!(dimensions.iter().all(|name| line[name.as_str().unwrap()].is_string()), "{line}");
            for metric in directive["Metrics"].as_array().unwrap() {
                let name = metric["Name"].as_str().unwrap();
                assert!(line[name].is_u64(), "{name} in {line}");
                logged.push((name.to_owned(), metric["Unit"].clone(), dimensions.len()));
            }
        }
        let expected = [("ColdStarts", 1), ("Faults", 1), ("Problems", 2)];
        assert_eq!(logged, expected.map(|(name, dimensions)| (name.to_owned(), json!("Count"), dimensions)));
        assert_eq!((&line["FunctionName"], &line["Problem"]), (&json!("accounts-x"), &json!("method-not-allowed")));
        assert_eq!((&line["Faults"], &line["Problems"]), (&json!(0), &json!(1)));
    }
}

#[tokio::test]
async fn a_failed_call_is_counted_as_a_fault_and_a_good_one_as_no_problem() {
    let (stack, ana) = Embedded::signed_in(&[]).await;
    let settings =
        [("AWS_LAMBDA_FUNCTION_NAME", "accounts-session"), ("AWS_ENDPOINT_URL_DYNAMODB", &stack.table.url())];
    let functions = functions::all(&stack, &settings);
    let session = functions.iter().find(|function| function.path == paths::SESSION).unwrap();
    let mut event = event(paths::SESSION, "", "");
    event["cookies"] = json!([ana.cookie]);
    assert_eq!(session.invoke(&event.to_string()).await.0, 200);
    stack.table.fail_always(Failure::Throttle);
    assert_eq!(session.invoke(&event.to_string()).await.0, 500);
    let lines = lines(&stack);
    let logged = |line: &Value| {
        let directives = line["_aws"]["CloudWatchMetrics"].as_array().unwrap().len();
        (line["Faults"].clone(), line.get("Problem").cloned(), directives)
    };
    assert_eq!(logged(&lines[lines.len() - 2]), (json!(0), None, 1));
    assert_eq!(logged(&lines[lines.len() - 1]), (json!(1), Some(json!("internal")), 2));
}
