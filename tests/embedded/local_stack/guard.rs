//! The local stack's own paths and tables refuse pages of other origins, and requests with a foreign host name.

use journeys::{Embedded, paths, plain_client};
use local::{Options, Stack};
use reqwest::header::HeaderMap;
use reqwest::{Client, RequestBuilder};

const EVIL: &str = "https://evil.example";
/// Requests that the stack's own pages and programs send to the service's port.
const OWN_PATHS: [(&str, &str); 6] = [
    ("GET", "/_local/"),
    ("GET", "/_local/mail?to=ana@example.com"),
    ("GET", "/_local/openapi.json"),
    ("GET", "/_local/api"),
    ("GET", "/_local/google/jwks"),
    ("POST", "/_local/google/credential"),
];

fn start() -> Stack {
    let settings = [("CORS_ORIGINS".to_owned(), "https://app.example".to_owned())].into();
    Stack::start(&Options { settings, ..Options::default() }, &|_| ()).unwrap()
}

fn client() -> Client {
    plain_client().build().unwrap()
}

fn port(url: &str) -> &str {
    url.rsplit(':').next().unwrap()
}

/// Whether a request is allowed. Asserts that a refusal has a reason and no CORS headers.
async fn is_let_in(request: RequestBuilder) -> bool {
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status(), response.headers().clone());
    let text = response.text().await.unwrap();
    assert!(status != 403 || text.starts_with("The local stack "), "{text}");
    assert!(status == 403 || status == 200, "{status} {text}");
    assert!(status != 403 || !allows_a_page(&headers), "{headers:?}");
    status == 200
}

fn allows_a_page(headers: &HeaderMap) -> bool {
    headers.keys().any(|name| name.as_str().starts_with("access-control-"))
}

#[tokio::test]
async fn the_stacks_own_paths_answer_programs_and_its_own_pages() {
    let (stack, http) = (start(), client());
    let own = format!("http://localhost:{}", port(stack.base_url()));
    for (method, path) in OWN_PATHS {
        let request = || http.request(method.parse().unwrap(), format!("{}{path}", stack.base_url()));
        assert!(is_let_in(request()).await, "{path}");
        for origin in [own.as_str(), stack.base_url()] {
            assert!(is_let_in(request().header("Origin", origin)).await, "{path} {origin}");
        }
        let forwarded = request().header("Host", "localhost:8080");
        assert!(is_let_in(forwarded.header("Origin", "http://localhost:8080")).await, "{path} behind another port");
        assert!(is_let_in(request().header("Host", "[::1]:3000")).await, "{path}");
    }
}

#[tokio::test]
async fn the_stacks_own_paths_are_closed_to_pages_of_other_origins() {
    let (stack, http) = (start(), client());
    for (method, path) in OWN_PATHS {
        for method in [method, "OPTIONS"] {
            let request = || http.request(method.parse().unwrap(), format!("{}{path}", stack.base_url()));
            for origin in [EVIL, "null", "", "http://localhost:1", "https://app.example"] {
                assert!(!is_let_in(request().header("Origin", origin)).await, "{method} {path} {origin}");
            }
            let two = request().header("Origin", stack.base_url()).header("Origin", EVIL);
            assert!(!is_let_in(two).await, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn requests_with_a_foreign_host_name_are_refused() {
    let (stack, http) = (start(), client());
    let pages = ["/", "/login", "/config.json", "/client/index.js", "/none"].map(|path| ("GET", path));
    for (method, path) in OWN_PATHS.into_iter().chain(pages) {
        for host in ["evil.example", "localhost.evil.example:3000", "evil@localhost"] {
            let request = http.request(method.parse().unwrap(), format!("{}{path}", stack.base_url()));
            let origin = format!("http://{host}");
            assert!(!is_let_in(request.header("Host", host).header("Origin", origin)).await, "{path} {host}");
        }
    }
}

#[tokio::test]
async fn a_stack_without_functions_is_guarded_too() {
    let options = Options { functions: false, ..Options::default() };
    let (stack, http) = (Stack::start(&options, &|_| ()).unwrap(), client());
    let mails = || http.get(format!("{}/_local/mail", stack.base_url()));
    assert!(is_let_in(mails()).await);
    assert!(!is_let_in(mails().header("Origin", EVIL)).await);
    assert!(!is_let_in(mails().header("Host", "evil.example")).await);
}

#[tokio::test]
async fn the_guard_does_not_check_requests_for_the_apis_paths() {
    let stack = Embedded::start(&[]).await;
    for path in paths::ALL {
        let request = stack.service.request("GET", path);
        let answer = request.header("Host", "evil.example").header("Origin", EVIL).send().await.unwrap();
        assert_eq!(answer.status(), 405, "the function answers that it accepts only POST: {path}");
    }
}

/// A `ListTables` request of an SDK.
fn list_tables(http: &Client, stack: &Stack) -> RequestBuilder {
    const SIGNATURE: &str = "AWS4-HMAC-SHA256 Credential=local/20000101/eu-west-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0";
    http.post(stack.dynamodb_url())
        .header("X-Amz-Target", "DynamoDB_20120810.ListTables")
        .header("X-Amz-Date", "20000101T000000Z")
        .header("Authorization", SIGNATURE)
        .header("Content-Type", "application/x-amz-json-1.0")
        .body("{}")
}

#[tokio::test]
async fn the_tables_answer_programs_and_the_stacks_own_pages() {
    let (stack, http) = (start(), client());
    for _ in 0..2 {
        let answer = list_tables(&http, &stack).send().await.unwrap();
        assert_eq!(answer.text().await.unwrap(), r#"{"TableNames":["accounts","entries"]}"#);
    }
    for name in ["localhost", "127.0.0.1", "[::1]"] {
        let own = format!("http://{name}:{}", port(stack.base_url()));
        let answer = list_tables(&http, &stack).header("Origin", own).send().await.unwrap();
        assert!(answer.status() == 200 && allows_a_page(answer.headers()), "{name}");
    }
}

#[tokio::test]
async fn the_tables_are_closed_to_other_origins_and_names_even_on_an_existing_connection() {
    let (stack, http) = (start(), client());
    let preflight = || {
        let request = http.request("OPTIONS".parse().unwrap(), stack.dynamodb_url());
        request.header("Access-Control-Request-Method", "POST").header("Access-Control-Request-Headers", "x-amz-target")
    };
    for origin in [EVIL, "null", "http://localhost:1", "https://app.example"] {
        assert!(!is_let_in(preflight().header("Origin", origin)).await, "{origin}");
        assert!(!is_let_in(list_tables(&http, &stack).header("Origin", origin)).await, "{origin}");
        assert!(!is_let_in(http.get(stack.dynamodb_url()).header("Origin", origin)).await, "{origin}");
        assert!(is_let_in(list_tables(&http, &stack)).await);
    }
    assert!(!is_let_in(list_tables(&http, &stack).header("Host", "evil.example")).await);
    let renamed = list_tables(&http, &stack).header("Host", "evil.example").header("Origin", "http://evil.example");
    assert!(!is_let_in(renamed).await);
}
