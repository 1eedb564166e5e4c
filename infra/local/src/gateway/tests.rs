//! Tests of the gateway over HTTP, with functions that return their event.

use std::net::Ipv4Addr;

use axum::Router;
use axum::middleware::from_fn_with_state;
use serde_json::Value;
use shared::system::clock::SystemClock;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;

/// Starts a gateway on its own port. All paths that are not the API's are answered "elsewhere".
async fn start() -> SocketAddr {
    let echo: Function = Arc::new(|event| {
        let answer = serde_json::json!({ "statusCode": 200, "headers": { "x-echo": "1" }, "body": event });
        Box::pin(async move { answer.to_string() })
    });
    let broken: Function = Arc::new(|_| Box::pin(async { "no answer".to_owned() }));
    let panics: Function = Arc::new(|_| Box::pin(async { panic!("a function that panics") }));
    let functions = [("Echo", echo), ("Broken", broken), ("Panics", panics)];
    let functions: BTreeMap<_, _> = functions.map(|(name, function)| (name.to_owned(), function)).into();
    let route = |method: &str, path: &str, function: &str| Route {
        path: path.to_owned(),
        method: method.to_owned(),
        function: function.to_owned(),
    };
    let routes = [
        route("ANY", "/app/echo.php", "Echo"),
        route("POST", "/app/post.php", "Echo"),
        route("ANY", "/app/broken.php", "Broken"),
        route("ANY", "/app/panics.php", "Panics"),
        route("ANY", "/data.php", "Echo"),
    ];
    let paths = vec!["/app/*".to_owned(), "/data.php".to_owned()];
    let gateway = Gateway::new(paths, routes.iter(), &functions, Arc::new(SystemClock));
    let service = Router::new().fallback(async || "elsewhere").layer(from_fn_with_state(Arc::new(gateway), enter));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port is free");
    let address = listener.local_addr().expect("it has an address");
    tokio::spawn(
        async move { axum::serve(listener, service.into_make_service_with_connect_info::<SocketAddr>()).await },
    );
    address
}

/// Sends the exact bytes of a request, and gives head and body of the answer.
async fn send(to: SocketAddr, request: &str) -> (String, String) {
    let mut stream = TcpStream::connect(to).await.expect("it listens");
    let (line, rest) = request.split_once('\n').unwrap_or((request, ""));
    let request = format!("{line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{rest}\r\n");
    stream.write_all(request.as_bytes()).await.expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("it answers");
    let (head, body) = answer.split_once("\r\n\r\n").expect("there is a head");
    (head.to_owned(), body.to_owned())
}

/// Status and body of the answer to a `GET`.
async fn get(to: SocketAddr, path: &str) -> (u16, String) {
    let (head, body) = send(to, &format!("GET {path}")).await;
    (status(&head), body)
}

fn status(head: &str) -> u16 {
    head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("there is a status")
}

fn event(body: &str) -> Value {
    serde_json::from_str(body).expect("the event comes back")
}

const NOT_FOUND: &str = r#"{"message":"Not Found"}"#;

#[tokio::test]
async fn a_path_is_decoded_before_routing() {
    let gateway = start().await;
    for path in ["/app/ech%6f.php", "/%61pp/echo.php", "/app%2Fecho.php", "/app/echo.php%3Fb=1", "/app/ech%256F.php"] {
        let (status, body) = get(gateway, &format!("{path}?a=%20b")).await;
        assert_eq!(status, 200, "{path}: {body}");
        let event = event(&body);
        assert_eq!(event.pointer("/rawPath").and_then(Value::as_str), Some("/app/echo.php"), "{path}");
        assert_eq!(event.pointer("/requestContext/http/path"), event.pointer("/rawPath"), "{path}");
        assert_eq!(event.pointer("/routeKey").and_then(Value::as_str), Some("ANY /app/echo.php"), "{path}");
        assert_eq!(event.pointer("/rawQueryString").and_then(Value::as_str), Some("a=%20b"), "{path}");
    }
    assert_eq!(get(gateway, "/data%2Ephp").await.0, 200);
}

#[tokio::test]
async fn a_path_that_cannot_be_decoded_is_a_bad_request() {
    let gateway = start().await;
    for path in ["/app/%zz", "/app/echo.php%25done", "/app/%ff"] {
        assert_eq!(get(gateway, path).await, (400, r#"{"message":"Bad Request"}"#.to_owned()), "{path}");
    }
}

#[tokio::test]
async fn a_run_of_slashes_matches_a_route_as_one_slash() {
    let gateway = start().await;
    for path in ["//app/echo.php", "/app//echo.php", "/app/%2Fecho.php"] {
        assert_eq!(get(gateway, path).await.0, 200, "{path}");
    }
}

#[tokio::test]
async fn a_path_must_match_its_route_exactly() {
    let gateway = start().await;
    for path in ["/app/", "/app/other.php", "/app/echo.php/", "/app/Echo.php", "/app/./echo.php", "/app/echo%2Bphp"] {
        assert_eq!(get(gateway, path).await, (404, NOT_FOUND.to_owned()), "{path}");
    }
    assert_eq!(get(gateway, "/app/post.php").await, (404, NOT_FOUND.to_owned()), "another method than the route's");
}

#[tokio::test]
async fn other_paths_are_forwarded() {
    let gateway = start().await;
    for path in ["/", "/app", "/application/echo.php", "/data.php/", "/%", "/_local/mail?to=%zz"] {
        assert_eq!(get(gateway, path).await, (200, "elsewhere".to_owned()), "{path}");
    }
}

#[tokio::test]
async fn head_options_and_any_other_method_reach_the_function() {
    let gateway = start().await;
    for method in ["OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "ODD"] {
        let (head, body) = send(gateway, &format!("{method} /app/echo.php\nOrigin: https://a.example\r\n")).await;
        assert_eq!(status(&head), 200, "{method}");
        assert_eq!(event(&body).pointer("/requestContext/http/method").and_then(Value::as_str), Some(method));
    }
    let (head, body) = send(gateway, "HEAD /app/echo.php").await;
    assert!(head.contains("\r\nx-echo: 1"), "the function answers HEAD: {head}");
    assert_eq!(body, "", "an answer to HEAD has no body");
}

#[tokio::test]
async fn every_answer_has_the_request_id_of_the_event() {
    let gateway = start().await;
    let id = |head: &str| {
        let line = head.lines().find_map(|line| line.strip_prefix("apigw-requestid: "));
        line.expect("there is an id").to_owned()
    };
    let (head, body) = send(gateway, "GET /app/echo.php").await;
    let given = event(&body).pointer("/requestContext/requestId").cloned();
    assert_eq!(given, Some(Value::from(id(&head))));
    for path in ["/app/other.php", "/app/%zz", "/app/broken.php"] {
        assert_ne!(id(&send(gateway, &format!("GET {path}")).await.0), "", "{path}");
    }
}

#[tokio::test]
async fn a_panic_or_an_invalid_answer_is_a_500() {
    let gateway = start().await;
    for path in ["/app/broken.php", "/app/panics.php"] {
        assert_eq!(get(gateway, path).await, (500, r#"{"message":"Internal Server Error"}"#.to_owned()), "{path}");
    }
}

/// Posts a body of `size` bytes, and gives status and body of the answer.
async fn post(to: SocketAddr, content_type: &str, size: usize) -> (u16, String) {
    let body = "a".repeat(size);
    let head = format!("Content-Type: {content_type}\r\nContent-Length: {size}\r\n\r\n{body}");
    let (head, body) = send(to, &format!("POST /app/post.php\n{head}")).await;
    (status(&head), body)
}

#[tokio::test]
async fn a_body_over_ten_megabytes_is_too_large() {
    let gateway = start().await;
    let too_large = (413, r#"{"message":"Request Entity Too Large"}"#.to_owned());
    assert_eq!(post(gateway, "text/plain", BODY_LIMIT + 1).await, too_large);
}

#[tokio::test]
async fn an_event_over_six_megabytes_is_too_large() {
    let gateway = start().await;
    let too_large = (413, r#"{"message":"Request Entity Too Large"}"#.to_owned());
    assert_eq!(post(gateway, "text/plain", EVENT_LIMIT).await, too_large);
    // Base64 encodes three bytes in four.
    assert_eq!(post(gateway, "application/octet-stream", EVENT_LIMIT / 4 * 3).await, too_large);
    assert_eq!(post(gateway, "text/plain", EVENT_LIMIT - 10_000).await.0, 200);
}
