//! The contract itself: it contains every message of the service, and its check refuses answers that it does not
//! document.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a helper of a test panics like the test; clippy excepts only test functions"
)]

use std::collections::BTreeSet;

use journeys::{Answer, Contract, ENDPOINTS, Service, paths};
use local::{OpenApi, Template};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

const MESSAGES: &str = include_str!("../../shared/src/problem/messages.rs");
const PROBLEMS: &str = include_str!("../../shared/src/problem/mod.rs");
const HEADERS: [(&str, &str); 3] = [
    ("content-type", "application/json; charset=utf-8"),
    ("cache-control", "no-store"),
    ("x-content-type-options", "nosniff"),
];
const WRONG: &str = r#"{"success":false,"message":"Email o contraseña incorrectas"}"#;
const DISALLOWED: &str = r#"{"success":false,"message":"Método no permitido"}"#;

/// The messages of the service: the name of each in the code, and its text.
fn sentences() -> Vec<(&'static str, &'static str)> {
    let constants = MESSAGES.split("const ").skip(1);
    let sentences = constants.map(|constant| {
        let (name, rest) = constant.split_once(':').unwrap();
        (name, rest.split('"').nth(1).unwrap())
    });
    sentences.collect()
}

/// The schemas of all answers of the operations: path, status and schema.
fn documented() -> Vec<(&'static str, u16, &'static Value)> {
    let document = OpenApi::of_this_project().unwrap();
    let mut documented = Vec::new();
    for operation in document.operations() {
        for (status, response) in operation.value["responses"].as_object().unwrap() {
            let schema = &document.resolve(response)["content"]["application/json"]["schema"];
            let alternatives = schema["oneOf"].as_array().map_or(vec![schema], |all| all.iter().collect());
            let schemas = alternatives.into_iter().map(|schema| document.resolve(schema));
            documented.extend(schemas.map(|schema| (operation.path, status.parse().unwrap(), schema)));
        }
    }
    documented
}

/// The values that the schema of an answer allows for a member.
fn values<'a>(schema: &'a Value, member: &str) -> Vec<&'a Value> {
    let member = &schema["properties"][member];
    member["enum"].as_array().map_or_else(|| member.get("const").into_iter().collect(), |all| all.iter().collect())
}

/// The status and message of every answer that has a message, on the documented paths.
fn shown() -> BTreeSet<(u16, String)> {
    let document = OpenApi::of_this_project().unwrap();
    let disallowed = document.resolve(&document.any_other_method()["content"]["application/json"]["schema"]);
    let all = documented().into_iter().map(|(_, status, schema)| (status, schema)).chain([(405, disallowed)]);
    let messages = all.flat_map(|(status, schema)| values(schema, "message").into_iter().map(move |one| (status, one)));
    messages.map(|(status, message)| (status, message.as_str().unwrap().to_owned())).collect()
}

fn answer(status: u16, headers: &[(&str, &str)], text: &str) -> Answer {
    let header =
        |(name, value): &(&str, &str)| (name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value).unwrap());
    Answer { status, headers: headers.iter().map(header).collect::<HeaderMap>(), text: text.to_owned() }
}

/// Asserts that the check refuses an answer to a login for this reason.
#[track_caller]
fn assert_refused(answer: &Answer, why: &str) {
    let refused = Contract::shared().check("POST", paths::LOGIN, answer).unwrap_err();
    assert!(refused.contains(why) && refused.starts_with("POST /app/auth/sendLogin.php"), "{refused}");
}

fn with(header: (&'static str, &'static str)) -> Vec<(&'static str, &'static str)> {
    HEADERS.into_iter().filter(|(name, _)| *name != header.0).chain([header]).collect()
}

#[test]
fn every_message_of_the_service_is_in_the_document() {
    let shown: BTreeSet<String> = shown().into_iter().map(|(_, message)| message).collect();
    let sentences = sentences();
    assert!(sentences.len() > 20);
    for (name, sentence) in &sentences {
        assert!(shown.contains(*sentence), "{name}: {sentence:?} is not in the OpenAPI document");
    }
    let known: BTreeSet<String> = sentences.iter().map(|(_, sentence)| (*sentence).to_owned()).collect();
    let others: Vec<_> = shown.difference(&known).collect();
    assert_eq!(others, ["Request Entity Too Large"], "the only documented message of the gateway on a documented path");
}

#[test]
fn every_refusal_of_the_service_is_in_the_document_with_its_status() {
    let (shown, sentences) = (shown(), sentences());
    let rows: Vec<&str> = PROBLEMS.lines().filter(|line| line.contains("=> (\"")).collect();
    assert!(rows.len() > 15);
    for row in rows {
        let mut columns = row.rsplit(", ");
        let name = columns.next().unwrap().trim_end_matches("),").trim_start_matches("refusal::");
        let status = columns.next().unwrap().parse().unwrap();
        let (_, sentence) = sentences.iter().find(|(found, _)| *found == name).unwrap();
        assert!(shown.contains(&(status, (*sentence).to_owned())), "{status} {sentence:?} is not in the document");
    }
}

#[test]
fn the_rows_of_the_endpoints_are_the_routes_of_the_template_and_the_operations_of_the_document() {
    let rows: BTreeSet<_> = ENDPOINTS.iter().map(|row| (row.name.to_owned(), row.path.to_owned())).collect();
    let template = Template::of_this_project().unwrap();
    let routes = template.routes().map(|route| (route.crate_name(), route.path.clone())).collect();
    assert_eq!(rows, routes, "the catalogue in tests/support/requests (left), the routes in template.yaml (right)");
    let document = OpenApi::of_this_project().unwrap();
    let documented: BTreeSet<&str> = document.operations().map(|operation| operation.path).collect();
    assert_eq!(documented, paths::ALL.iter().copied().collect(), "infra/openapi (left), the catalogue (right)");
}

#[test]
fn every_constant_answer_in_the_document_is_accepted() {
    let mut checked = 0;
    for (path, status, schema) in
        documented().into_iter().filter(|(_, _, schema)| schema["properties"].get("user").is_none())
    {
        let headers = if status == 413 { &HEADERS[..1] } else { &HEADERS };
        for message in values(schema, "message") {
            let mut body = serde_json::json!({ "message": message });
            if let [success] = values(schema, "success")[..] {
                body["success"] = success.clone();
            }
            Contract::shared().check("POST", path, &answer(status, headers, &body.to_string())).unwrap();
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn an_undocumented_status_or_message_is_refused() {
    assert_refused(&answer(418, &HEADERS, WRONG), "the status is none of [200, 400, 403, 413, 500]");
    assert_refused(&answer(200, &HEADERS, &WRONG.replace("incorrectas", "incorrectos")), "body: ");
    assert_refused(&answer(200, &HEADERS, &WRONG.replace("false", "true")), "body: ");
    assert_refused(&answer(403, &HEADERS, r#"{"success":false,"message":"Access denied"}"#), "body: ");
}

#[test]
fn a_body_with_an_extra_missing_or_mistyped_member_is_refused() {
    let user =
        r#"{"id":1,"email":"a@b.co","name":"Ana","url_image":"https://a/assets/avatars/01.jpeg","accept_news":0}"#;
    let login = format!(r#"{{"success":true,"message":"Inicio de sesión correcto","user":{user}}}"#);
    Contract::shared().check("POST", paths::LOGIN, &answer(200, &HEADERS, &login)).unwrap();
    for (from, to) in [
        ("\"id\":1,", ""),
        ("\"id\":1", "\"id\":\"1\""),
        ("\"id\":1", "\"id\":0"),
        ("\"id\":1", "\"id\":1,\"password\":\"x\""),
        ("a@b.co", "a b"),
        ("a@b.co", "A@b.co"),
        ("01.jpeg", "11.jpeg"),
        ("\"accept_news\":0", "\"accept_news\":true"),
        ("{\"success\"", "{\"token\":\"x\",\"success\""),
        ("\"success\":true", "\"success\":false"),
    ] {
        assert_refused(&answer(200, &HEADERS, &login.replace(from, to)), "body: ");
    }
    for body in ["", "x", "null", "[]", "{}", r#"{"success":true}"#] {
        assert_refused(&answer(200, &HEADERS, body), "body");
    }
}

#[test]
fn a_missing_wrong_or_misplaced_header_is_refused() {
    Contract::shared().check("POST", paths::LOGIN, &answer(200, &HEADERS, WRONG)).unwrap();
    assert_refused(&answer(200, &HEADERS[..2], WRONG), "header x-content-type-options is missing");
    let deleted = ("set-cookie", "session=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0");
    for (status, header, why) in [
        (200, ("cache-control", "private"), "header cache-control: "),
        (200, ("content-type", "text/html"), "content type"),
        (200, ("location", "https://evil.example"), "header location is not"),
        (200, ("access-control-allow-origin", "*"), "header access-control-allow-origin: "),
        (200, ("access-control-expose-headers", "*"), "header access-control-expose-headers is not documented"),
        (200, ("set-cookie", "session=x; Path=/"), "header set-cookie: "),
        (200, deleted, "header set-cookie: "),
        (403, deleted, "header set-cookie is not documented"),
    ] {
        assert_refused(&answer(status, &with(header), WRONG), why);
    }
}

#[test]
fn get_head_and_an_unknown_path_each_have_one_documented_answer() {
    let contract = Contract::shared();
    let allow = with(("allow", "POST"));
    contract.check("GET", paths::LOGIN, &answer(405, &allow, DISALLOWED)).unwrap();
    contract.check("HEAD", paths::LOGIN, &answer(405, &allow, "")).unwrap();
    contract.check("HEAD", paths::LOGIN, &answer(200, &HEADERS, "")).unwrap_err();
    contract.check("GET", paths::LOGIN, &answer(405, &HEADERS, DISALLOWED)).unwrap_err();
    contract.check("GET", paths::LOGIN, &answer(200, &HEADERS, WRONG)).unwrap_err();
    contract.check("POST", paths::LOGIN, &answer(405, &allow, DISALLOWED)).unwrap_err();
    let json = [("content-type", "application/json")];
    contract.check("POST", "/other", &answer(404, &json, r#"{"message":"Not Found"}"#)).unwrap();
    contract.check("POST", "/other", &answer(200, &HEADERS, WRONG)).unwrap_err();
}

#[tokio::test]
async fn an_unknown_path_is_not_found() {
    let service = Service::shared();
    for path in ["/app/auth/sendLogin", "/app/auth/sendlogin.php", "/app/other.php"] {
        for method in ["POST", "GET"] {
            assert_eq!(service.send(service.request(method, path)).await.status, 404, "{method} {path}");
        }
    }
}
