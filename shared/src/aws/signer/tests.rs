//! Compares the signatures with those that the SDK makes.

use std::sync::Arc;
use std::time::Duration;

use aws_credential_types::provider::SharedCredentialsProvider;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4::SigningParams;
use aws_smithy_runtime_api::client::behavior_version::BehaviorVersion;
use aws_smithy_runtime_api::client::http::{HttpConnector, HttpConnectorFuture, SharedHttpConnector, http_client_fn};
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::retry::RetryConfig;
use aws_types::SdkConfig;
use aws_types::region::Region;

use super::*;
use crate::aws::ServiceClient;

const SCOPE: (&str, &str) = ("eu-west-1", "dynamodb");
const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

fn credentials(id: &str, token: Option<&str>) -> Credentials {
    Credentials::new(id, SECRET, token.map(str::to_owned), None, "tests")
}

/// A time this many seconds after 1970.
fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

fn request(address: &str, headers: &[(&str, &str)], body: &str) -> HttpRequest {
    let mut builder = http::Request::builder().method("POST").uri(address);
    for (name, value) in headers {
        builder = builder.header(*name, *value);
    }
    builder.body(SdkBody::from(body)).unwrap().try_into().unwrap()
}

/// The date and the authorization of the SDK for a request.
fn of_sdk(
    request: &HttpRequest,
    credentials: &Credentials,
    (region, service): (&str, &str),
    now: SystemTime,
) -> (String, String) {
    let identity = Identity::from(credentials.clone());
    let params = SigningParams::builder().identity(&identity).region(region).name(service).time(now);
    let params = params.settings(SigningSettings::default()).build().unwrap().into();
    let own = [DATE, AUTHORIZATION, TOKEN];
    let headers = request.headers().iter().filter(|(name, _)| !own.contains(name));
    let body = SignableBody::Bytes(request.body().bytes().unwrap());
    let signable = SignableRequest::new(request.method(), request.uri(), headers, body).unwrap();
    let (instructions, _) = sign(signable, &params).unwrap().into_parts();
    let header = |name| instructions.headers().find(|(it, _)| *it == name).unwrap().1.to_owned();
    (header(DATE), header(AUTHORIZATION))
}

#[test]
fn a_request_has_the_signature_that_the_sdk_makes() {
    let long = "x".repeat(5000);
    let usual: &[(&str, &str)] = &[
        ("x-amz-target", "DynamoDB_20120810.Query"),
        ("content-type", "application/x-amz-json-1.0"),
        ("user-agent", "not signed"),
        ("x-amzn-trace-id", "not signed"),
        ("amz-sdk-request", "attempt=1; max=3"),
        ("X-Amz-User-Agent", "aws-sdk-rust/1.3 os/linux lang/rust/1.95"),
    ];
    let signer = Signer::new();
    for address in [
        "https://dynamodb.eu-west-1.amazonaws.com/",
        "https://localhost:443/",
        "http://localhost:80/v2/email/outbound-emails",
        "http://127.0.0.1:8000/a/",
    ] {
        for (headers, body) in [(&[][..], ""), (usual, "{}"), (usual, &long)] {
            for (id, token) in [("AKIDEXAMPLE", None), ("ASIAEXAMPLE", Some("a/token+of=some"))] {
                for seconds in [1_440_938_160, 1_440_979_199, 1_440_979_200, 951_782_400] {
                    let (credentials, request) = (credentials(id, token), request(address, headers, body));
                    let made = signer.signature(&request, &credentials, SCOPE, at(seconds)).unwrap();
                    let expected = of_sdk(&request, &credentials, SCOPE, at(seconds));
                    assert_eq!((made.date, made.authorization), expected, "{address} {headers:?} {id} {seconds}");
                }
            }
        }
    }
}

#[test]
fn a_request_that_is_not_plain_is_left_to_the_sdk() {
    let signature = |address: &str, headers: &[(&str, &str)]| {
        Signer::new().signature(&request(address, headers, ""), &credentials("id", None), SCOPE, at(0)).is_some()
    };
    assert!(signature("https://host/a", &[("name", "a value")]));
    for address in ["https://host/a?b", "https://host/%61", "https://host/a/../b", "https://host//", "https://host/a~"]
    {
        assert!(!signature(address, &[]), "{address}");
    }
    for headers in [
        &[("name", "two  spaces")][..],
        &[("name", "one"), ("name", "two")],
        &[("host", "host")],
        &[("x-amz-date", "20150830T123600Z")],
    ] {
        assert!(!signature("https://host/", headers), "{headers:?}");
    }
}

#[test]
fn a_key_is_derived_once_for_a_scope() {
    let signer = Signer::new();
    let other = Credentials::new("id", "another secret", None, None, "tests");
    let request = request("https://host/", &[], "");
    let signature = |credentials: &Credentials, scope, seconds| {
        signer.signature(&request, credentials, scope, at(seconds)).unwrap().authorization
    };
    let first = signature(&credentials("id", None), SCOPE, 0);
    assert_eq!(signature(&other, SCOPE, 0), first);
    for (scope, seconds) in [(SCOPE, 86_400), (("eu-west-1", "ses"), 86_400), (("eu-west-2", "ses"), 86_400)] {
        assert_eq!(signature(&other, scope, seconds), of_sdk(&request, &other, scope, at(seconds)).1);
    }
}

/// Answers each request with status 500, and keeps its address, headers and body.
#[derive(Debug, Clone, Default)]
struct Failing(Arc<Mutex<Vec<HttpRequest>>>);

impl HttpConnector for Failing {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        self.0.lock().unwrap().push(request);
        HttpConnectorFuture::ready(Ok(HttpResponse::new(500.try_into().unwrap(), SdkBody::empty())))
    }
}

fn client<C: ServiceClient>(failing: &Failing, credentials: Credentials) -> C {
    let connector = SharedHttpConnector::new(failing.clone());
    let config = SdkConfig::builder()
        .behavior_version(BehaviorVersion::v2026_01_12())
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .endpoint_url(format!("https://{}.eu-west-1.amazonaws.com", C::HOST))
        .region(Region::new("eu-west-1"))
        .retry_config(RetryConfig::standard().with_initial_backoff(Duration::from_millis(1)))
        .http_client(http_client_fn(move |_, _| connector.clone()));
    C::of(&config.build())
}

/// Checks that all attempts were signed, and the first without the SDK.
fn assert_signed(failing: &Failing, credentials: &Credentials, service: &str) {
    let sent = std::mem::take(&mut *failing.0.lock().unwrap());
    assert!(sent.len() > 1, "{}", sent.len());
    for mut request in sent {
        // The SDK adds them after signing.
        for unsigned in ["amz-sdk-invocation-id", "amz-sdk-request"] {
            assert!(request.headers_mut().remove(unsigned).is_some());
        }
        let header = |name| request.headers().get(name).unwrap().to_owned();
        let [date, time] = [(0..8), (9..15)].map(|digits| header(DATE)[digits].to_owned());
        let day = format!("{}-{}-{}T", &date[..4], &date[4..6], &date[6..]);
        let now = format!("{day}{}:{}:{}Z", &time[..2], &time[2..4], &time[4..]);
        let now = aws_smithy_types::DateTime::from_str(&now, aws_smithy_types::date_time::Format::DateTime);
        let now = SystemTime::try_from(now.unwrap()).unwrap();
        let (_, expected) = of_sdk(&request, credentials, ("eu-west-1", service), now);
        assert_eq!(header(AUTHORIZATION), expected);
        assert_eq!(header(TOKEN), credentials.session_token().unwrap());
    }
}

#[tokio::test]
async fn the_clients_sign_all_attempts_of_their_calls() {
    let (failing, credentials) = (Failing::default(), credentials("ASIAEXAMPLE", Some("token")));
    let table: aws_sdk_dynamodb::Client = client(&failing, credentials.clone());
    table.get_item().table_name("accounts").key("pk", AttributeValue::S("ñ".to_owned())).send().await.unwrap_err();
    assert_signed(&failing, &credentials, "dynamodb");
    #[cfg(feature = "mail")]
    {
        let mails: aws_sdk_sesv2::Client = client(&failing, credentials.clone());
        mails.send_email().from_email_address("cuentas@example.com").send().await.unwrap_err();
        assert_signed(&failing, &credentials, "ses");
    }
    #[cfg(feature = "stream")]
    {
        let queue: aws_sdk_sqs::Client = client(&failing, credentials.clone());
        queue.send_message().queue_url("https://queue").message_body("body").send().await.unwrap_err();
        assert_signed(&failing, &credentials, "sqs");
    }
}
