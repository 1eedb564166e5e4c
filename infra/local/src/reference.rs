//! The API's reference page, `GET /_local/api`, and its source, `GET /_local/openapi.yaml` and `.json`.

use std::fmt::Write;

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::Value;

use crate::openapi::{self, OpenApi, Operation, members};
use crate::page::{escape, page};

/// The page loads nothing from other origins.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The media type of YAML (RFC 9512).
const YAML: &str = "application/yaml";

/// The routes of the page and the document.
pub(crate) fn router(document: &OpenApi) -> Router {
    let (body, root) = (body(document), document.root().clone());
    Router::new()
        .route("/_local/api", get(async move || -> Response { page("API", POLICY, &body) }))
        .route("/_local/openapi.yaml", get(async || ([(CONTENT_TYPE, YAML)], openapi::TEXT).into_response()))
        .route("/_local/openapi.json", get(async move || Json(root)))
}

fn body(document: &OpenApi) -> String {
    let mut body = String::new();
    let description = text(document.root().pointer("/info/description"));
    for paragraph in description.split("\n\n") {
        let _ = writeln!(body, "<p>{}</p>", prose(paragraph));
    }
    body.push_str(
        "<p>This page is made of <a href=\"/_local/openapi.yaml\">openapi.yaml</a>, which is there as \
         <a href=\"/_local/openapi.json\">JSON</a> too. Mails are in the <a href=\"/_local/\">inbox</a>.</p>\n<ul>\n",
    );
    for operation in document.operations() {
        let path = escape(operation.path);
        let summary = prose(text(operation.value.get("summary")));
        let _ = writeln!(body, "<li><a href=\"#{path}\">{path}</a> {summary}</li>");
    }
    body.push_str("</ul>\n");
    for operation in document.operations() {
        let _ = write!(body, "{}", article(document, &operation));
    }
    body.push_str("<article>\n<h2>Everything else</h2>\n");
    for (name, value) in
        [("Any other method", document.any_other_method()), ("Any other path", document.any_other_path())]
    {
        let _ = write!(body, "{}", answer(document, name, value));
    }
    body.push_str("</article>\n");
    body
}

fn article(document: &OpenApi, operation: &Operation<'_>) -> String {
    let Operation { path, method, value } = operation;
    let path = escape(path);
    let mut article = format!("<article id=\"{path}\">\n<h2>{method} {path}</h2>\n");
    for name in ["summary", "description"] {
        if let Some(paragraph) = value.get(name).and_then(Value::as_str) {
            let _ = writeln!(article, "<p>{}</p>", prose(paragraph));
        }
    }
    article.push_str("<h3>Parameters</h3>\n<table>\n");
    for parameter in elements(value.get("parameters")).map(|parameter| document.resolve(parameter)) {
        let name = format!("{} {}", text(parameter.get("in")), text(parameter.get("name")));
        let required = parameter.get("required") == Some(&Value::Bool(true));
        let schema = document.resolve(parameter.get("schema").unwrap_or(&Value::Null));
        article.push_str(&row(&name, required, schema, text(parameter.get("description"))));
    }
    for (name, required) in schemes(value) {
        let scheme = document.root().pointer(&format!("/components/securitySchemes/{name}"));
        let cookie = format!("cookie {}", text(scheme.and_then(|scheme| scheme.get("name"))));
        let description = text(scheme.and_then(|scheme| scheme.get("description")));
        article.push_str(&row(&cookie, required, &Value::Null, description));
    }
    article.push_str("</table>\n");
    article.push_str(&request(document, value.pointer("/requestBody/content")));
    article.push_str("<h3>Answers</h3>\n");
    for (status, value) in members(value.get("responses")) {
        article.push_str(&answer(document, status, document.resolve(value)));
    }
    article.push_str("</article>\n");
    article
}

/// The security schemes of an operation, and whether each is required.
fn schemes(operation: &Value) -> impl Iterator<Item = (&str, bool)> {
    let alternatives = || elements(operation.get("security"));
    let required = alternatives().all(|alternative| members(Some(alternative)).next().is_some());
    alternatives().flat_map(|alternative| members(Some(alternative))).map(move |(name, _)| (name, required))
}

/// The body of an operation: its media types, and the fields of the first one.
fn request(document: &OpenApi, content: Option<&Value>) -> String {
    let Some((_, first)) = members(content).next() else { return String::new() };
    let types: Vec<String> = members(content).map(|(name, _)| format!("<code>{}</code>", escape(name))).collect();
    let mut request = format!("<h3>Body</h3>\n<p>{}</p>\n", types.join(" or "));
    let schema = document.resolve(first.get("schema").unwrap_or(&Value::Null));
    if let Some(description) = schema.get("description").and_then(Value::as_str) {
        let _ = writeln!(request, "<p>{}</p>", prose(description));
    }
    request.push_str("<table>\n");
    for (name, field) in members(schema.get("properties")) {
        let required = elements(schema.get("required")).any(|required| required == name);
        let field = document.resolve(field);
        request.push_str(&row(name, required, field, text(field.get("description"))));
    }
    request.push_str("</table>\n");
    if let Some(example) = first.get("example") {
        let _ = writeln!(request, "<pre>{}</pre>", escape(&example.to_string()));
    }
    request
}

/// A row of a table of parameters or fields.
fn row(name: &str, required: bool, schema: &Value, description: &str) -> String {
    let required = if required { "required" } else { "" };
    format!(
        "<tr><th scope=\"row\"><code>{}</code></th><td>{required}</td><td>{} {}</td></tr>\n",
        escape(name),
        rules(schema),
        prose(description),
    )
}

/// The rules of a schema for a scalar.
fn rules(schema: &Value) -> String {
    let code = |value: &Value| match value {
        Value::String(text) if !text.is_empty() => format!("<code>{}</code>", escape(text)),
        other => format!("<code>{}</code>", escape(&other.to_string())),
    };
    let mut rules = Vec::new();
    rules.extend(schema.get("const").map(code));
    rules.extend(schema.get("enum").map(|_| elements(schema.get("enum")).map(code).collect::<Vec<_>>().join(" or ")));
    rules.extend(schema.get("format").and_then(Value::as_str).map(escape));
    let length = |name| schema.get(name).and_then(Value::as_u64);
    rules
        .extend(length("minLength").filter(|length| *length > 1).map(|length| format!("at least {length} characters")));
    rules.extend(length("maxLength").map(|length| format!("at most {length} characters")));
    if rules.is_empty() { String::new() } else { format!("{}.", rules.join(", ")) }
}

/// An answer: its status or case, its meaning, its headers and its examples.
fn answer(document: &OpenApi, name: &str, value: &Value) -> String {
    let mut answer = format!("<p><strong>{}</strong> {}</p>\n", escape(name), prose(text(value.get("description"))));
    let headers: Vec<String> = members(value.get("headers"))
        .map(|(name, header)| {
            let header = document.resolve(header);
            let rules = header.get("schema").and_then(|schema| schema.get("const")).map(rules_of_constant);
            format!("<code>{}{}</code>", escape(name), rules.unwrap_or_default())
        })
        .collect();
    if !headers.is_empty() {
        let _ = writeln!(answer, "<p>{}</p>", headers.join(", "));
    }
    for (_, media) in members(value.get("content")) {
        for (_, example) in members(media.get("examples")) {
            let example = document.resolve(example).get("value").unwrap_or(&Value::Null);
            let _ = writeln!(answer, "<pre>{}</pre>", escape(&example.to_string()));
        }
    }
    answer
}

fn rules_of_constant(constant: &Value) -> String {
    format!(": {}", escape(constant.as_str().unwrap_or_default()))
}

/// Plain text as HTML. Text between backticks becomes code.
fn prose(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(number, part)| match number % 2 {
        0 => escape(part),
        _ => format!("<code>{}</code>", escape(part)),
    });
    parts.collect()
}

fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

fn elements(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page_of(yaml: &str) -> String {
        body(&OpenApi::parse(yaml).expect("the document is read"))
    }

    #[test]
    fn every_path_field_and_message_of_the_document_is_on_the_page() {
        let document = OpenApi::of_this_project().expect("the document is read");
        let page = body(&document);
        for operation in document.operations() {
            assert!(page.contains(&format!("<h2>POST {}</h2>", operation.path)), "{}", operation.path);
        }
        for field in ["confirm-password", "g-captcha-response", "g_csrf_token", "credential", "avatar"] {
            assert!(page.contains(&format!("<code>{field}</code>")), "{field}");
        }
        for (name, example) in members(document.root().pointer("/components/examples")) {
            let value = example.get("value").expect("it has a value").to_string();
            assert!(page.contains(&format!("<pre>{}</pre>", escape(&value))), "{name}");
        }
    }

    #[test]
    fn a_session_is_listed_as_a_parameter_and_marked_if_required() {
        let security = |alternatives: &str| {
            page_of(&format!(
                "{{ components: {{ securitySchemes: {{ session: {{ name: a-cookie }} }} }},
                   paths: {{ /x: {{ post: {{ security: {alternatives} }} }} }} }}"
            ))
        };
        assert!(security("[session: []]").contains("cookie a-cookie</code></th><td>required</td>"));
        assert!(security("[{}, session: []]").contains("cookie a-cookie</code></th><td></td>"));
        assert!(!security("[]").contains("a-cookie"));
    }

    #[test]
    fn the_text_of_the_document_is_escaped() {
        let hostile = "\\\"'><script>alert(1)</script>&`<i>`";
        let page = page_of(&format!(
            "{{ info: {{ description: \"{hostile}\" }}, paths: {{ \"/{hostile}\": {{ post: {{
                summary: \"{hostile}\", description: \"{hostile}\",
                parameters: [{{ name: \"{hostile}\", in: \"{hostile}\", schema: {{ const: \"{hostile}\" }} }}],
                requestBody: {{ content: {{ \"{hostile}\": {{ example: \"{hostile}\", schema: {{
                    properties: {{ \"{hostile}\": {{ const: \"{hostile}\", description: \"{hostile}\" }} }} }} }} }} }},
                responses: {{ \"{hostile}\": {{ description: \"{hostile}\", headers: {{ \"{hostile}\": {{}} }},
                    content: {{ a: {{ examples: {{ a: {{ value: \"{hostile}\" }} }} }} }} }} }} }} }} }} }}"
        ));
        assert!(!page.contains("<script") && !page.contains("<i>"), "{page}");
        assert!(page.matches("&lt;script&gt;").count() >= 15, "{page}");
    }
}
