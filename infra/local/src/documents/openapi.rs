//! The service's contract: `infra/openapi.yaml`, with a path for each route of the template. A file of `infra/openapi` has the
//! path's description, under the name of the function's crate. The stack serves the whole as one document,
//! `GET /_local/openapi.json` and `.yaml`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use axum::{Json, Router};
use local_functions::DESCRIPTIONS;
use serde_json::{Map, Value};

use super::template::{Route, Template};

/// The common part of the document.
const COMMON: &str = include_str!("../../../openapi.yaml");

/// The name of `COMMON` in the descriptions.
const COMMON_IN_DESCRIPTIONS: &str = "../openapi.yaml#";

/// The media type of YAML (RFC 9512).
const YAML: &str = "application/yaml";

/// The longest chain of references. A longer one is treated as a cycle.
const REFERENCES_MAX: usize = 8;

/// The document.
#[derive(Debug, Clone)]
pub struct OpenApi(Value);

/// One method of one path.
#[derive(Debug, Clone, Copy)]
pub struct Operation<'a> {
    /// Exact path, such as `/app/auth/sendLogin.php`.
    pub path: &'a str,
    /// Its method, in capitals.
    pub method: &'static str,
    /// The operation object.
    pub value: &'a Value,
}

/// The document cannot be read; the text gives the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenApiError(String);

impl fmt::Display for OpenApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the OpenAPI document: {}", self.0)
    }
}

impl std::error::Error for OpenApiError {}

impl OpenApi {
    /// The document of this project, which refers to no other file. It is read once.
    ///
    /// # Errors
    /// [`OpenApi::parse`] fails, the template cannot be read, or an endpoint lacks its description or its route.
    pub fn of_this_project() -> Result<&'static Self, OpenApiError> {
        static DOCUMENT: LazyLock<Result<OpenApi, OpenApiError>> = LazyLock::new(bundled);
        DOCUMENT.as_ref().map_err(Clone::clone)
    }

    /// Reads a document.
    ///
    /// # Errors
    /// The text is not YAML, or has values that JSON does not have.
    pub fn parse(text: &str) -> Result<Self, OpenApiError> {
        serde_yaml_ng::from_str(text).map(Self).map_err(|error| OpenApiError(error.to_string()))
    }

    /// The whole document as JSON.
    #[must_use]
    pub fn root(&self) -> &Value {
        &self.0
    }

    /// `value`, or the target of its `$ref`; null if the target does not exist.
    #[must_use]
    pub fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        let mut value = value;
        for _ in 0..=REFERENCES_MAX {
            let Some(reference) = value.get("$ref").and_then(Value::as_str) else { return value };
            value = reference.strip_prefix('#').and_then(|pointer| self.0.pointer(pointer)).unwrap_or(&Value::Null);
        }
        &Value::Null
    }

    /// Every operation, in the document's order.
    pub fn operations(&self) -> impl Iterator<Item = Operation<'_>> {
        const METHODS: [(&str, &str); 8] = [
            ("get", "GET"),
            ("put", "PUT"),
            ("post", "POST"),
            ("delete", "DELETE"),
            ("options", "OPTIONS"),
            ("head", "HEAD"),
            ("patch", "PATCH"),
            ("trace", "TRACE"),
        ];
        members(self.0.get("paths")).flat_map(|(path, item)| {
            METHODS
                .iter()
                .filter_map(move |(name, method)| item.get(name).map(|value| Operation { path, method, value }))
        })
    }

    /// The answer of a documented path to an undocumented method.
    #[must_use]
    pub fn any_other_method(&self) -> &Value {
        self.resolve(self.0.get("x-any-other-method").unwrap_or(&Value::Null))
    }

    /// The answer to a preflight of a listed origin.
    #[must_use]
    pub fn preflight(&self) -> &Value {
        self.resolve(self.0.get("x-preflight").unwrap_or(&Value::Null))
    }

    /// The additional headers of every answer to a listed origin.
    #[must_use]
    pub fn listed_origin(&self) -> &Value {
        self.resolve(self.0.get("x-listed-origin").unwrap_or(&Value::Null))
    }

    /// The answer of an undocumented path.
    #[must_use]
    pub fn any_other_path(&self) -> &Value {
        self.resolve(self.0.get("x-any-other-path").unwrap_or(&Value::Null))
    }
}

/// The common part with the description of each endpoint at the path of its route.
fn bundled() -> Result<OpenApi, OpenApiError> {
    let OpenApi(mut document) = OpenApi::parse(COMMON)?;
    let template = Template::of_this_project().map_err(|error| OpenApiError(error.to_string()))?;
    if let Some(document) = document.as_object_mut() {
        document.insert("paths".to_owned(), Value::Object(paths(template, DESCRIPTIONS)?));
    }
    Ok(OpenApi(document))
}

/// A path for each route of the template, with the description of its function.
fn paths(template: &Template, files: &[(&str, &str)]) -> Result<Map<String, Value>, OpenApiError> {
    let mut rest = BTreeMap::new();
    for (file, text) in files {
        let text = text.replace(COMMON_IN_DESCRIPTIONS, "#");
        let described: Map<String, Value> =
            serde_yaml_ng::from_str(&text).map_err(|error| OpenApiError(format!("{file}: {error}")))?;
        rest.extend(described);
    }
    let mut path = |route: &Route| {
        let name = route.crate_name();
        let description = rest.remove(&name);
        let missing = || OpenApiError(format!("no file of infra/openapi describes {name}, {}", route.path));
        description.map(|description| (route.path.clone(), description)).ok_or_else(missing)
    };
    let paths = template.routes().map(&mut path).collect::<Result<_, _>>()?;
    if let Some(function) = rest.keys().next() {
        return Err(OpenApiError(format!("{function} is described, but template.yaml has no route for it")));
    }
    Ok(paths)
}

/// The routes of the document.
pub(crate) fn router() -> Router {
    let failed = |error: String| (StatusCode::INTERNAL_SERVER_ERROR, error);
    let root = || OpenApi::of_this_project().map(OpenApi::root).map_err(|error| error.to_string());
    let yaml = move || root().and_then(|root| serde_yaml_ng::to_string(root).map_err(|error| error.to_string()));
    Router::new().route("/_local/openapi.json", get(async move || root().map(Json).map_err(failed))).route(
        "/_local/openapi.yaml",
        get(async move || yaml().map(|yaml| ([(CONTENT_TYPE, YAML)], yaml)).map_err(failed)),
    )
}

/// The members of an object, in order; none if the value is not an object.
pub(super) fn members(value: Option<&Value>) -> impl Iterator<Item = (&str, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten().map(|(name, value)| (name.as_str(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_has_one_method() {
        let document = OpenApi::of_this_project().expect("the document is read");
        assert!(document.operations().all(|operation| operation.method == "POST"));
    }

    #[test]
    fn an_endpoint_without_a_description_or_a_route_is_an_error_that_names_it() {
        let text = "{ Resources: { SendLink: { Type: AWS::Serverless::Function, Properties: { Events: {
            Post: { Type: HttpApi, Properties: { Path: /link, Method: ANY } } } } } } }";
        let template = Template::parse(text).expect("the template is read");
        let error = |text| paths(&template, &[("links.yaml", text)]).expect_err("it is refused").to_string();
        assert!(error("{}").contains("no file of infra/openapi describes send-link, /link"));
        assert!(error("{ send-link: {}, other: {} }").contains("other is described"));
        assert!(error("send-link").contains("links.yaml: "));
    }

    #[test]
    fn the_document_has_the_version_of_the_service() {
        let document = OpenApi::of_this_project().expect("the document is read");
        let version = document.root().pointer("/info/version").and_then(Value::as_str);
        assert_eq!(version, Some(env!("CARGO_PKG_VERSION")));
    }

    #[test]
    fn every_reference_has_a_target() {
        fn assert_resolved(document: &OpenApi, value: &Value) {
            assert!(value.get("$ref").is_none() || !document.resolve(value).is_null(), "{value}");
            members(Some(value)).for_each(|(_, value)| assert_resolved(document, value));
            value.as_array().into_iter().flatten().for_each(|value| assert_resolved(document, value));
        }
        let document = OpenApi::of_this_project().expect("the document is read");
        assert_resolved(document, document.root());
    }

    #[test]
    fn a_dangling_or_cyclic_reference_is_null() {
        let document = OpenApi::parse("{ a: { $ref: '#/b' }, b: { $ref: '#/a' }, c: { $ref: '#/d' } }");
        let document = document.expect("the document is read");
        for name in ["a", "c"] {
            let value = document.root().get(name).expect("it is there");
            assert!(document.resolve(value).is_null(), "{name}");
        }
    }

    #[test]
    fn the_longest_chain_of_references_is_resolved_and_a_longer_one_is_null() {
        let links: Vec<_> =
            (0..=REFERENCES_MAX).map(|link| format!("r{link}: {{ $ref: '#/r{}' }}", link + 1)).collect();
        let document = OpenApi::parse(&format!("{}\nr{}: {{ type: object }}", links.join("\n"), REFERENCES_MAX + 1));
        let document = document.expect("the document is read");
        let is_null = |name: &str| document.resolve(document.root().get(name).expect("it is there")).is_null();
        assert_eq!((is_null("r1"), is_null("r0")), (false, true));
    }
}
