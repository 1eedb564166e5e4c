//! The API page, `GET /_local/api`: a section for each endpoint of the `OpenAPI` document, with a command for a shell, a call
//! of the client in `web/client`, and a form that sends the request.
//!
//! These 300 lines replace a viewer of 863 kB (`RapiDoc` 9.3.8, which shows a curl command only after a request and without the
//! session), 1.7 MB (Swagger UI 5.35, which shows no `x-codeSamples`) or 3.6 MB (Scalar 1.46, which calls its maker's host).

use std::fmt::Write;

use axum::Router;
use axum::http::header::HOST;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::Value;

use super::openapi::{OpenApi, Operation, members};
use crate::http::page::{escape, page, script};

/// The page calls the service with its script, and loads nothing from other origins.
const POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; form-action 'none'; img-src 'self'; \
                      style-src 'self' 'unsafe-inline'";

/// The media type of bodies that are entered field by field. A JSON body is entered as one text.
const FORM: &str = "application/x-www-form-urlencoded";

/// The header that every request needs. The command and the script send it.
const REQUESTED_WITH: &str = "X-Requested-With";

/// The routes of the page and its script.
pub(crate) fn router() -> Router {
    Router::new()
        .route("/_local/api", get(api))
        .route("/_local/api.js", get(async || script(include_str!("api_page/api.js"))))
}

async fn api(headers: HeaderMap) -> Response {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    match OpenApi::of_this_project() {
        Ok(document) => page("API", POLICY, &body(document, &format!("http://{host}"))),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

/// The page's content. `origin` is the service's address for commands.
fn body(document: &OpenApi, origin: &str) -> String {
    let start = format!(
        "import {{ createAccountClient }} from \"account-session-client\";\n\
         const account = createAccountClient({{ baseUrl: \"{origin}\" }});"
    );
    let mut page = format!(
        "<p class=\"lead\">Made from <a href=\"/_local/openapi.json\">openapi.json</a>. Mails that a request sends are in the \
         <a href=\"/_local/\">inbox</a>.</p>
<p>Every request is a POST with the header <code>{REQUESTED_WITH}: XMLHttpRequest</code>. The commands keep the session in the file \
         <code>cookies</code>, and the forms keep it in this browser. The calls of the client begin with:</p>
{start}<nav aria-label=\"Endpoints\">
<ul class=\"endpoints\">
",
        start = copyable("Start of the client", &start),
    );
    for Operation { path, value, .. } in document.operations() {
        let _ = writeln!(page, "<li><a href=\"#{}\">{}</a></li>", escape(text(value, "operationId")), escape(path));
    }
    page.push_str("</ul>\n</nav>\n");
    for operation in document.operations() {
        section(&mut page, document, operation, origin);
    }
    page + "<script src=\"/_local/api.js\" defer></script>\n"
}

/// The section of one endpoint.
fn section(page: &mut String, document: &OpenApi, operation: Operation<'_>, origin: &str) {
    let Operation { path, value, .. } = operation;
    let id = escape(text(value, "operationId"));
    let session = match value.get("security").and_then(Value::as_array) {
        Some(ways) if ways.contains(&serde_json::json!({})) => " Uses a session if there is one.",
        Some(ways) if !ways.is_empty() => " Needs a session.",
        _ => "",
    };
    let _ = writeln!(
        page,
        "<article aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{}</h2>\n<p>{}{session}</p>",
        escape(path),
        escape(&[text(value, "summary"), text(value, "description")].join(" ")),
    );
    let request = Request::of(document, value);
    if !request.fields.is_empty() {
        page.push_str("<h3>Fields</h3>\n<table>\n<thead><tr><th scope=\"col\">Field</th><th scope=\"col\">Rules</th></tr></thead>\n<tbody>\n");
        for field in &request.fields {
            let rules = rules(document, field);
            let _ = writeln!(page, "<tr><th scope=\"row\">{}</th><td>{rules}</td></tr>", escape(field.name));
        }
        page.push_str("</tbody>\n</table>\n");
    }
    page.push_str("<h3>Answers</h3>\n<table>\n<thead><tr><th scope=\"col\">Status</th><th scope=\"col\">Body</th></tr></thead>\n<tbody>\n");
    for (status, response) in members(value.get("responses")) {
        let response = document.resolve(response);
        let schema = response.pointer("/content/application~1json/schema").unwrap_or(&Value::Null);
        let schema = document.resolve(schema);
        let bodies = schema.get("oneOf").and_then(Value::as_array).map_or(vec![schema], |all| all.iter().collect());
        let _ = write!(page, "<tr><th scope=\"row\">{status}</th><td>{}", escape(text(response, "description")));
        for body in bodies {
            let _ = write!(page, "<br><code>{}</code>", escape(&shape(document, body)));
        }
        page.push_str("</td></tr>\n");
    }
    page.push_str("</tbody>\n</table>\n<h3>Command</h3>\n");
    page.push_str(&copyable("Command", &request.command(&format!("{origin}{path}"))));
    let call = value.pointer("/x-codeSamples/0/source").and_then(Value::as_str);
    if let Some(call) = call {
        page.push_str("<h3>Client</h3>\n");
        page.push_str(&copyable("Client", &format!("const result = await {call};")));
    }
    let _ = writeln!(
        page,
        "<details><summary>Try it</summary>\n<form action=\"{path}\" autocomplete=\"off\" data-type=\"{}\">\n{}\
         <button class=\"button\" type=\"submit\" disabled>Send</button>\n</form>\n<p class=\"status\" role=\"status\"></p>\n<pre class=\"answer\"></pre>\n</details>\n</article>",
        request.media,
        request.inputs(&id),
        path = escape(path),
    );
}

/// A text with a button that copies it.
fn copyable(label: &str, text: &str) -> String {
    format!(
        "<div class=\"copyable\">\n<pre>{}</pre>\n<button class=\"button text\" type=\"button\" disabled data-copy>Copy<span class=\"unseen\"> {}</span></button>\n</div>\n",
        escape(text),
        label.to_lowercase(),
    )
}

/// A field of a body, or a header of a request.
struct Field<'a> {
    name: &'a str,
    schema: &'a Value,
    description: &'a str,
    required: bool,
    header: bool,
}

/// The fields that a caller sends, without the header that every request needs.
struct Request<'a> {
    /// The media type of the body; empty if there is no body.
    media: &'a str,
    fields: Vec<Field<'a>>,
    example: &'a Value,
}

impl<'a> Request<'a> {
    fn of(document: &'a OpenApi, operation: &'a Value) -> Self {
        let headers = operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let headers = headers.map(|one| document.resolve(one)).filter(|one| text(one, "in") == "header");
        let mut fields: Vec<Field<'_>> = headers
            .filter(|one| text(one, "name") != REQUESTED_WITH)
            .map(|one| Field {
                name: text(one, "name"),
                schema: document.resolve(one.get("schema").unwrap_or(&Value::Null)),
                description: text(one, "description"),
                required: one.get("required") == Some(&Value::Bool(true)),
                header: true,
            })
            .collect();
        let Some((media, content)) = members(operation.pointer("/requestBody/content")).next() else {
            return Self { media: "", fields, example: &Value::Null };
        };
        let schema = document.resolve(content.get("schema").unwrap_or(&Value::Null));
        let required = schema.get("required").and_then(Value::as_array);
        fields.extend(members(schema.get("properties")).map(|(name, property)| {
            let property = document.resolve(property);
            let required = required.is_some_and(|names| names.iter().any(|one| one == name));
            Field { name, schema: property, description: text(property, "description"), required, header: false }
        }));
        if schema.get("properties").is_none() {
            fields.push(Field {
                name: "body",
                schema,
                description: text(schema, "description"),
                required: true,
                header: false,
            });
        }
        Self { media, fields, example: content.get("example").unwrap_or(&Value::Null) }
    }

    /// A command for a shell that sends the example.
    fn command(&self, url: &str) -> String {
        let mut lines = vec![format!("curl -b cookies -c cookies -H '{REQUESTED_WITH}: XMLHttpRequest' {url}")];
        match self.media {
            FORM if members(Some(self.example)).next().is_none() => lines.push("-X POST".to_owned()),
            "" => lines.push("-X POST".to_owned()),
            FORM => lines.extend(
                members(Some(self.example))
                    .map(|(name, value)| format!("--data-urlencode {}", quoted(&format!("{name}={}", plain(value))))),
            ),
            media => lines.push(format!("-H 'Content-Type: {media}' -d {}", quoted(&self.example.to_string()))),
        }
        lines.join(" \\\n  ")
    }

    /// The inputs of the form of an endpoint, with the example's values.
    fn inputs(&self, endpoint: &str) -> String {
        let mut inputs = String::new();
        for field in self.fields.iter().filter(|field| field.header || self.media == FORM) {
            let value = self.example.get(field.name).map(plain).unwrap_or_default();
            let header = if field.header { " data-header" } else { "" };
            let _ = writeln!(
                inputs,
                "<p class=\"field\"><label for=\"{endpoint}-{name}\">{name}</label><input id=\"{endpoint}-{name}\" name=\"{name}\" type=\"text\" value=\"{}\"{header}></p>",
                escape(&value),
                name = escape(field.name),
            );
        }
        if ![FORM, ""].contains(&self.media) {
            let json = serde_json::to_string_pretty(self.example).unwrap_or_default();
            let _ = writeln!(
                inputs,
                "<p class=\"field\"><label for=\"{endpoint}-body\">JSON</label><textarea id=\"{endpoint}-body\" name=\"body\" rows=\"6\">{}</textarea></p>",
                escape(&json)
            );
        }
        inputs
    }
}

/// The rules of a field, as HTML.
fn rules(document: &OpenApi, field: &Field<'_>) -> String {
    let Field { schema, description, required, header, .. } = field;
    let code = |text: &str| format!("<code>{}</code>", escape(text));
    let number = |name: &str| schema.get(name).and_then(Value::as_u64);
    let mut rules = vec![if *required { "required".to_owned() } else { "optional".to_owned() }];
    if *header {
        rules.push("a header".to_owned());
    }
    rules.push(code(&shape(document, schema)));
    rules.extend(schema.get("format").and_then(Value::as_str).map(escape));
    rules.extend(number("minLength").map(|least| format!("length of at least {least}")));
    rules.extend(number("maxLength").map(|most| format!("length of at most {most}")));
    rules.extend(schema.get("pattern").and_then(Value::as_str).map(|pattern| format!("matches {}", code(pattern))));
    let rules = rules.join(", ");
    if description.is_empty() { rules } else { format!("{rules}. {}", escape(description)) }
}

/// A value as JSON, with type names in place of variable parts.
fn shape(document: &OpenApi, schema: &Value) -> String {
    let schema = document.resolve(schema);
    let all =
        |values: &Vec<Value>, one: &dyn Fn(&Value) -> String| values.iter().map(one).collect::<Vec<_>>().join(" | ");
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return all(values, &Value::to_string);
    }
    if let Some(schemas) = schema.get("oneOf").and_then(Value::as_array) {
        return all(schemas, &|one| shape(document, one));
    }
    if let Some(item) = schema.get("items") {
        return format!("[{}, …]", shape(document, item));
    }
    if let Some(properties) = schema.get("properties") {
        let fields: Vec<_> =
            members(Some(properties)).map(|(name, one)| format!("\"{name}\": {}", shape(document, one))).collect();
        return format!("{{{}}}", fields.join(", "));
    }
    match schema.get("type") {
        Some(Value::Array(types)) => all(types, &plain),
        Some(kind) => plain(kind),
        None => "any".to_owned(),
    }
}

/// The text of a string, and the JSON of any other value.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The text of a member; empty if it is not a string.
fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default().trim()
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_and_a_description_are_escaped() {
        let hostile = "\"'><script>alert(1)</script>";
        let document = OpenApi::parse(&serde_json::json!({ "paths": { (hostile): { "post": {
            "operationId": hostile, "summary": hostile, "x-codeSamples": [{ "source": hostile }],
            "requestBody": { "content": { (FORM): { "schema": { "properties": { (hostile): { "pattern": hostile } } }, "example": { (hostile): hostile } } } },
            "responses": { "200": { "description": hostile, "content": { "application/json": { "schema": { "const": hostile } } } } },
        } } } }).to_string()).expect("the document is read");
        assert_eq!(body(&document, hostile).matches("<script").count(), 1, "the page's own");
    }

    #[test]
    fn a_value_is_one_word_of_the_command() {
        let example = serde_json::json!({ "name": "Ana's $(id)" });
        let request = Request { media: FORM, fields: Vec::new(), example: &example };
        assert!(request.command("x").ends_with(r"--data-urlencode 'name=Ana'\''s $(id)'"), "{}", request.command("x"));
    }
}
