//! Runs the binaries as Lambda does: with Lambda's environment, and with events from a Runtime API.

#![cfg(test)]

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use aws_lambda_events::apigw::ApiGatewayV2httpRequest;
use journeys::{ENDPOINTS, Embedded};
use serde_json::{Value, json};
use stand_ins::runtime_api::{RuntimeApi, environment};

/// One function of the service under a Runtime API. Its process is killed when this is dropped.
struct OnLambda {
    child: Child,
    api: RuntimeApi,
}

impl OnLambda {
    async fn start(binary: &str, stack: &Embedded) -> Self {
        let api = RuntimeApi::start().await.unwrap();
        let child = command(binary)
            .envs(environment(binary, api.address()))
            .envs(stack.template().defaults())
            .env("AWS_ENDPOINT_URL_DYNAMODB", stack.table.url())
            .env("AWS_ENDPOINT_URL_SESV2", stack.mail.url())
            .env("GOOGLE_KEYS_URL", stack.keys_url())
            .envs([
                ("FRONT_END_URL", "https://app.example"),
                ("GOOGLE_CLIENT_IDS", "local-client"),
                ("MAIL_CONFIGURATION_SET", ""),
                ("MAIL_FROM", "cuentas@example.com"),
            ])
            .spawn()
            .unwrap();
        Self { child, api }
    }

    async fn invoke(&mut self, event: &str) -> Value {
        self.invoke_bytes(event.as_bytes().to_vec()).await
    }

    async fn invoke_bytes(&mut self, event: Vec<u8>) -> Value {
        self.api.send(event.into());
        let answer = tokio::time::timeout(deadline(), self.api.answer()).await.expect("the function answers").unwrap();
        answer.map_or(Value::Null, |answer| serde_json::from_slice(&answer).unwrap())
    }
}

impl Drop for OnLambda {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The path of a program that runs binaries for another architecture, if `EMULATOR` is set.
fn emulator() -> Option<OsString> {
    std::env::var_os("EMULATOR")
}

/// How long an answer may take. It is long enough for a busy machine or an emulator, and only a function that hangs
/// exceeds it.
fn deadline() -> Duration {
    Duration::from_secs(if emulator().is_some() { 120 } else { 20 })
}

/// A command that runs a function's binary with an empty environment. The binary is the one that `cargo build` placed
/// next to the tests. If `BOOTSTRAPS` names a folder of unpacked zips, it is the `bootstrap` from there.
fn command(binary: &str) -> Command {
    let tests = std::env::current_exe().unwrap();
    let path = match std::env::var_os("BOOTSTRAPS") {
        Some(folder) => PathBuf::from(folder).join(binary).join("bootstrap"),
        None => tests.ancestors().nth(2).unwrap().join(binary),
    };
    assert!(
        path.exists(),
        "{} is not built: run `make test`, or `make test-arm64` if BOOTSTRAPS is set",
        path.display()
    );
    let mut command = match emulator() {
        Some(emulator) => {
            let mut command = Command::new(emulator);
            command.arg(path);
            command
        }
        None => Command::new(path),
    };
    command.env_clear().stdout(Stdio::piped());
    command
}

fn post_event(body: Option<&str>) -> String {
    json!({
        "version": "2.0",
        "headers": {"x-requested-with": "XMLHttpRequest", "content-type": "application/x-www-form-urlencoded"},
        "requestContext": {"requestId": "r", "http": {"method": "POST"}},
        "body": body,
    })
    .to_string()
}

#[tokio::test]
async fn every_endpoint_answers_its_sample_event() {
    let stack = Embedded::start(&[]).await;
    for endpoint in ENDPOINTS {
        let event = endpoint.sample_event().to_string();
        let read: ApiGatewayV2httpRequest = serde_json::from_str(&event).unwrap();
        assert_eq!(read.raw_path.as_deref(), Some(endpoint.path));
        let answer = OnLambda::start(endpoint.name, &stack).await.invoke(&event).await;
        let body: Value = serde_json::from_str(answer["body"].as_str().unwrap()).unwrap_or_default();
        let said = (answer["statusCode"].as_u64().unwrap(), body["message"].as_str().unwrap_or_default());
        assert_eq!(said, (endpoint.sample.0.into(), endpoint.sample.1), "{}: {answer}", endpoint.name);
    }
}

#[tokio::test]
async fn a_binary_survives_hostile_events() {
    let stack = Embedded::start(&[]).await;
    let mut login = OnLambda::start("login", &stack).await;
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let with = |member: &str| post_event(None).replacen('{', &format!("{{{member},"), 1);
    for event in [
        "null",
        "{}",
        "[]",
        r#"{"requestContext":{}}"#,
        r#"{"requestContext":{"http":{"method":7}}}"#,
        &deep,
        &with(r#""headers":{"x-requested-with":"a"}"#),
        &with(r#""body":"twice""#),
        &post_event(None).replace("\"XMLHttpRequest\"", "1e999"),
    ] {
        assert_eq!(login.invoke(event).await["statusCode"], 400, "{}", event.chars().take(200).collect::<String>());
    }
    let healthy = login.invoke(&post_event(None)).await;
    assert_eq!(healthy["statusCode"], 200);
    for odd in [
        r#""rawQueryString":"a=<b> &%zz""#,
        r#""rawPath":"/a b/<>/%","version":"1.0","queryStringParameters":{"<":"\u0001"},"pathParameters":{"proxy":"../x"}"#,
        r#""cookies":["a=\u0000\u001b","__Host-session=\u2000"]"#,
        &format!("\"unknown\":{deep}"),
        &format!("\"unknown\":\"{}\"", "x".repeat(6_000_000)),
    ] {
        assert_eq!(login.invoke(&with(odd)).await, healthy, "{}", odd.chars().take(200).collect::<String>());
    }
    let odd = post_event(None)
        .replace("\"headers\":{", r#""headers":{"host":"a b<>:99999999","x-forwarded-proto":"java script","#);
    assert_eq!(login.invoke(&odd).await, healthy);
    for body in ["%%%", "YQ", "YQ==YQ==", "_-8="] {
        let encoded = post_event(Some(body)).replacen('{', "{\"isBase64Encoded\":true,", 1);
        assert_eq!(login.invoke(&encoded).await["statusCode"], 400, "{body}");
    }
    assert_eq!(login.invoke(&post_event(Some(&"a=b&".repeat(1_500_000)))).await["statusCode"], 400, "6 MB of fields");
    // Lambda's Runtime API never sends this. The call fails, and the process continues.
    let not_unicode = post_event(Some("@")).bytes().map(|byte| if byte == b'@' { 0xff } else { byte }).collect();
    assert_eq!(login.invoke_bytes(not_unicode).await, Value::Null);
    assert_eq!(login.invoke(&post_event(None)).await, healthy);
}

#[tokio::test]
async fn each_line_of_a_call_has_the_request_id_and_the_trace_id_of_lambda() {
    let stack = Embedded::start(&[]).await;
    let mut login = OnLambda::start("login", &stack).await;
    let mut log = BufReader::new(login.child.stdout.take().unwrap()).lines();
    let email = "nadie%40example.com";
    for (call, (event, lines)) in [
        (post_event(Some(&format!("email={email}&password=Secreto123"))), 2),
        (post_event(None), 1),
        ("{}".to_owned(), 1),
    ]
    .into_iter()
    .enumerate()
    {
        login.invoke(&event).await;
        for line in log.by_ref().take(lines) {
            let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
            assert_eq!(line["function_request_id"], format!("00000000-0000-4000-8000-{call:012}"), "{line}");
            assert_eq!(line["xray_trace_id"], "1-69569c80-0123456789abcdef01234567", "{line}");
            assert_eq!(line["function"], "login", "the line keeps its own names: {line}");
        }
    }
}

/// The peak memory of the process in bytes.
#[cfg(target_os = "linux")]
fn most_memory(process: &Child) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")).unwrap();
    most.parse::<usize>().unwrap() * 1024
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn five_megabytes_of_entries_need_memory_of_at_most_four_times_their_size() {
    let stack = Embedded::start(&[]).await;
    let mut function = OnLambda::start("receive-data", &stack).await;
    let event = |body: &str| {
        let event = post_event(Some(body)).replace("application/x-www-form-urlencoded", "application/json");
        assert!(event.len() < 6_000_000, "larger than Lambda accepts");
        event
    };
    assert_eq!(function.invoke(&event("[{}]")).await["statusCode"], 200);
    let before = most_memory(&function.child);
    let entry = format!("{{\"concepto\":\"{}\"}}", "Compra en el mercado. ".repeat(120));
    let body = format!("[{}]", vec![entry; 5_200_000 / 2_656].join(","));
    assert_eq!(function.invoke(&event(&body)).await["statusCode"], 200);
    let more = most_memory(&function.child) - before;
    println!("{} bytes of entries: {before} bytes of memory before, {more} more at the peak", body.len());
    assert!(body.len() > 5_000_000 && more <= 4 * body.len(), "{more} of {}", body.len());
}

#[test]
fn a_binary_without_its_settings_names_all_that_are_missing_and_ends() {
    let mut command = command("send-reset-link");
    command.envs(environment("send-reset-link", "127.0.0.1:9"));
    for name in ["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID"] {
        command.env_remove(name);
    }
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(!output.status.success());
    for name in ["ACCOUNTS_TABLE", "FRONT_END_URL", "MAIL_FROM", "AWS_REGION", "AWS_ACCESS_KEY_ID"] {
        assert!(said.contains(name), "{name}: {said}");
    }
    assert_eq!(said.lines().count(), 1, "{said}");
}
