//! The contract itself: it contains every message, and the judge refuses undocumented answers.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a claim that cannot be examined fails, as tests do; clippy spares the test functions alone"
)]

use std::collections::BTreeSet;

use journeys::{Answer, Contract, Service, paths};
use local::{OpenApi, Template};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

const MESSAGES: &str = include_str!("../../shared/src/problem/messages.rs");
const PROBLEMS: &str = include_str!("../../shared/src/problem/mod.rs");
const GUARDED: [(&str, &str); 3] = [
    ("content-type", "application/json; charset=utf-8"),
    ("cache-control", "no-store"),
    ("x-content-type-options", "nosniff"),
];
const WRONG: &str = r#"{"success":false,"message":"Email o contraseña incorrectas"}"#;
const DISALLOWED: &str = r#"{"success":false,"message":"Método no permitido"}"#;

/// A message of the service: its name in the code, and its text.
fn sentences() -> Vec<(&'static str, &'static str)> {
    let constants = MESSAGES.split("const ").skip(1);
    let sentences = constants.map(|constant| {
        let (name, rest) = constant.split_once(':').unwrap();
        (name, rest.split('"').nth(1).unwrap())
    });
    sentences.collect()
}

/// The status and message of every example in the document.
fn shown() -> BTreeSet<(u16, String)> {
    let document = OpenApi::of_this_project().unwrap();
    let mut shown = BTreeSet::new();
    let mut show = |status: u16, response: &Value| {
        let examples = document.resolve(response)["content"]["application/json"]["examples"].as_object().unwrap();
        for example in examples.values() {
            if let Some(message) = document.resolve(example)["value"]["message"].as_str() {
                shown.insert((status, message.to_owned()));
            }
        }
    };
    for operation in document.operations() {
        for (status, response) in operation.value["responses"].as_object().unwrap() {
            show(status.parse().unwrap(), response);
        }
    }
    show(405, document.any_other_method());
    shown
}

fn answer(status: u16, headers: &[(&str, &str)], text: &str) -> Answer {
    let header =
        |(name, value): &(&str, &str)| (name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value).unwrap());
    Answer { status, headers: headers.iter().map(header).collect::<HeaderMap>(), text: text.to_owned() }
}

/// Asserts that the judge refuses an answer to a login for this reason.
#[track_caller]
fn assert_refused(answer: &Answer, why: &str) {
    let refused = Contract::shared().check("POST", paths::LOGIN, answer).unwrap_err();
    assert!(refused.contains(why) && refused.starts_with("POST /app/auth/sendLogin.php"), "{refused}");
}

fn with(header: (&'static str, &'static str)) -> Vec<(&'static str, &'static str)> {
    GUARDED.into_iter().filter(|(name, _)| *name != header.0).chain([header]).collect()
}

#[test]
fn every_message_of_the_service_is_in_the_document() {
    let shown: BTreeSet<String> = shown().into_iter().map(|(_, message)| message).collect();
    let sentences = sentences();
    assert!(sentences.len() > 20);
    for (name, sentence) in &sentences {
        assert!(shown.contains(*sentence), "{name}: {sentence:?} is not in infra/openapi.yaml");
    }
    let known: BTreeSet<String> = sentences.iter().map(|(_, sentence)| (*sentence).to_owned()).collect();
    let others: Vec<_> = shown.difference(&known).collect();
    assert_eq!(others, ["Request Entity Too Large"], "the gateway's own");
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
fn the_document_has_every_route_of_the_template_and_no_other() {
    let (document, template) = (OpenApi::of_this_project().unwrap(), Template::of_this_project().unwrap());
    let documented: BTreeSet<&str> = document.operations().map(|operation| operation.path).collect();
    assert_eq!(documented, template.routes().map(|route| route.path.as_str()).collect());
    assert_eq!(documented, paths::ALL.iter().copied().collect());
}

#[test]
fn the_schema_of_an_answer_admits_only_its_examples() {
    let document = OpenApi::of_this_project().unwrap();
    for operation in document.operations() {
        for (status, response) in operation.value["responses"].as_object().unwrap() {
            let media = &document.resolve(response)["content"]["application/json"];
            let examples = media["examples"].as_object().unwrap().values();
            let shown: BTreeSet<String> = examples.map(|example| example["value"].to_string()).collect();
            let schema = &media["schema"];
            let alternatives = schema["oneOf"].as_array().map_or(vec![schema], |all| all.iter().collect());
            let closed = alternatives.iter().filter_map(|schema| schema["enum"].as_array()).flatten();
            let closed: BTreeSet<String> = closed.map(Value::to_string).collect();
            assert!(closed.is_subset(&shown), "{} {status}: {closed:?} {shown:?}", operation.path);
            let open = shown.difference(&closed).filter(|example| example.contains("message"));
            let open: Vec<_> = open.filter(|example| !example.contains("user")).collect();
            assert!(open.is_empty(), "{} {status}: {open:?} is shown and not admitted", operation.path);
        }
    }
}

#[test]
fn every_answer_that_the_document_shows_fits_it() {
    let document = OpenApi::of_this_project().unwrap();
    for operation in document.operations() {
        for (status, response) in operation.value["responses"].as_object().unwrap() {
            let examples = document.resolve(response)["content"]["application/json"]["examples"].as_object().unwrap();
            for example in examples.values() {
                let mut headers = GUARDED.to_vec();
                match status.as_str() {
                    "303" => headers.push(("location", "https://app.example.com/")),
                    "413" => headers.truncate(1),
                    _ => {}
                }
                let answer = answer(status.parse().unwrap(), &headers, &example["value"].to_string());
                Contract::shared().check("POST", operation.path, &answer).unwrap();
            }
        }
    }
}

#[test]
fn an_undocumented_status_is_refused() {
    assert_refused(&answer(418, &GUARDED, WRONG), "the status is none of [200, 400, 403, 413, 500]");
    assert_refused(&answer(303, &with(("location", "https://app.example.com/")), "{}"), "the status is none of");
}

#[test]
fn a_body_with_a_member_more_or_less_or_of_another_type_is_refused() {
    let user =
        r#"{"id":1,"email":"a@b.co","name":"Ana","url_image":"https://a/assets/avatars/01.jpeg","accept_news":0}"#;
    let login = format!(r#"{{"success":true,"message":"Inicio de sesión correcto","user":{user}}}"#);
    Contract::shared().check("POST", paths::LOGIN, &answer(200, &GUARDED, &login)).unwrap();
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
        assert_refused(&answer(200, &GUARDED, &login.replace(from, to)), "body: ");
    }
    for body in ["", "x", "null", "[]", "{}", r#"{"success":true}"#] {
        assert_refused(&answer(200, &GUARDED, body), "body");
    }
}

#[test]
fn an_undocumented_message_is_refused() {
    assert_refused(&answer(200, &GUARDED, &WRONG.replace("incorrectas", "incorrectos")), "body: ");
    assert_refused(&answer(200, &GUARDED, &WRONG.replace("false", "true")), "body: ");
    assert_refused(&answer(403, &GUARDED, r#"{"success":false,"message":"Access denied"}"#), "body: ");
    assert_refused(&answer(200, &GUARDED, r#"{"success":false,"message":"Token inválido o expirado"}"#), "body: ");
}

#[test]
fn a_missing_wrong_or_undocumented_header_is_refused() {
    Contract::shared().check("POST", paths::LOGIN, &answer(200, &GUARDED, WRONG)).unwrap();
    assert_refused(&answer(200, &GUARDED[..2], WRONG), "header x-content-type-options is missing");
    assert_refused(&answer(200, &with(("cache-control", "private")), WRONG), "header cache-control: ");
    assert_refused(&answer(200, &with(("content-type", "text/html")), WRONG), "content type");
    assert_refused(&answer(200, &with(("location", "https://evil.example")), WRONG), "header location is not");
    assert_refused(
        &answer(200, &with(("access-control-allow-origin", "*")), WRONG),
        "header access-control-allow-origin: ",
    );
    let exposed = ("access-control-expose-headers", "*");
    assert_refused(&answer(200, &with(exposed), WRONG), "header access-control-expose-headers is not documented");
    assert_refused(&answer(200, &with(("set-cookie", "session=x; Path=/")), WRONG), "header set-cookie: ");
    let cookie = ("set-cookie", "session=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0");
    assert_refused(&answer(200, &with(cookie), WRONG), "header set-cookie: ");
    assert_refused(&answer(403, &with(cookie), WRONG), "header set-cookie is not documented");
}

#[test]
fn every_other_method_and_every_other_path_has_one_documented_answer() {
    let contract = Contract::shared();
    let allow = with(("allow", "POST"));
    contract.check("GET", paths::LOGIN, &answer(405, &allow, DISALLOWED)).unwrap();
    contract.check("HEAD", paths::LOGIN, &answer(405, &allow, "")).unwrap();
    contract.check("GET", paths::LOGIN, &answer(405, &GUARDED, DISALLOWED)).unwrap_err();
    contract.check("GET", paths::LOGIN, &answer(200, &GUARDED, WRONG)).unwrap_err();
    contract.check("POST", paths::LOGIN, &answer(405, &allow, DISALLOWED)).unwrap_err();
    let json = [("content-type", "application/json")];
    contract.check("POST", "/other", &answer(404, &json, r#"{"message":"Not Found"}"#)).unwrap();
    contract.check("POST", "/other", &answer(200, &GUARDED, WRONG)).unwrap_err();
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
